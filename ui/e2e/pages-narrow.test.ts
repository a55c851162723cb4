import { testPages } from "./every-page";

testPages("narrow");
