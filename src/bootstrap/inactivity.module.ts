import { ContainerModule } from "inversify";

export const inactivityModule = new ContainerModule(() => {});
