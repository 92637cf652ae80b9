import "./texts.ts";
import { ConnectionsMenu } from "../connections/page.tsx";

export const SettingsScreen = () => <ConnectionsMenu />;
