import "./texts.ts";
import { Soon } from "../app/soon.tsx";

export const SettingsScreen = () => <Soon screen="settings" />;
