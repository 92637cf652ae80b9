import { ContainerModule } from "inversify";

export const ordersReadModule = new ContainerModule(() => {});
