import { Loading, html } from "../ui.js";
export const View = () => html`<${Loading} />`;
