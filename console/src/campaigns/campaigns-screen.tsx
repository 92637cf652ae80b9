import "./texts.ts";
import { Soon } from "../app/soon.tsx";

export const CampaignsScreen = () => <Soon screen="campaigns" />;
