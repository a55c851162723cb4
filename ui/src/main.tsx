import "@/ui/styles/mantine.css";
import "@/ui/styles/tokens.css";
import "@/ui/styles/base.css";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
