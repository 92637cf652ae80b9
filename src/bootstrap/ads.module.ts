import { ContainerModule } from "inversify";

export const adsModule = new ContainerModule(() => {});
