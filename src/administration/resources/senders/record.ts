export type { ManagedSender } from "../../domain/sender.ts";
