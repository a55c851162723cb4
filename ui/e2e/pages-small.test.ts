import { testPages } from "./every-page";

testPages("small");
