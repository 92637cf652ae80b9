import { ContainerModule } from "inversify";

export const mediaModule = new ContainerModule(() => {});
