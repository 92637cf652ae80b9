import "./texts.ts";
import { Soon } from "../app/soon.tsx";

export const ReportsScreen = () => <Soon screen="reports" />;
