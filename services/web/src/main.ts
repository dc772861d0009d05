import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { ui } from "./lib/app.svelte";

void ui.start().then(() => mount(App, { target: document.getElementById("app")! }));
