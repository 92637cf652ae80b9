import { ContainerModule } from "inversify";

export const paymentsModule = new ContainerModule(() => {});
