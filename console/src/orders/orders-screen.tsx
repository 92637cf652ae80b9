import "./texts.ts";
import { Soon } from "../app/soon.tsx";

export const OrdersScreen = () => <Soon screen="orders" />;
