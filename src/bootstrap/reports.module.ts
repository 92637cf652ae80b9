import { ContainerModule } from "inversify";

export const reportsModule = new ContainerModule(() => {});
