import { ContainerModule } from "inversify";

export const ordersEditModule = new ContainerModule(() => {});
