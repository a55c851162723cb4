import { testPages } from "./every-page";

testPages("wide");
