import { type Container, ContainerModule, type ResolutionContext } from "inversify";
import { type Background, background } from "../infra/jobs/background.ts";
import { type Token, tokens } from "./tokens.ts";

/** The services of a process by their names in `tokens`, which gives their types. */
export type Services = {
  readonly [Name in keyof typeof tokens]: (typeof tokens)[Name] extends Token<infer Type> ? Type : never;
};
export type Name = keyof Services;

interface Bindings {
  /** Binds a singleton, which `build` makes. When `build` first reads one of the `services`, that service is built. */
  provide<N extends Name>(name: N, build: (services: Services) => Services[N]): void;
  /** Binds work that the clock repeats. `signal` is aborted when a run must end. */
  provideTick(name: string, everySeconds: number, run: (services: Services, signal: AbortSignal) => unknown): void;
  /** Binds a part that the process starts and stops. */
  provideBackground(
    name: string,
    stage: Background["stage"],
    build: (services: Services) => Pick<Background, "start" | "stop">,
  ): void;
}

export type Provide = Bindings["provide"];

export const moduleOf = (define: (bindings: Bindings) => void): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const provide: Provide = (name, build) => {
      bind<Services[typeof name]>(tokens[name])
        .toDynamicValue((context) => build(servicesIn(context)))
        .inSingletonScope();
    };
    define({
      provide,
      provideTick: (name, everySeconds, run) =>
        provide("tick", (services) => ({ name, everySeconds, run: (signal) => run(services, signal) })),
      provideBackground: (name, stage, build) =>
        provide("background", (services) => background(name, stage, build(services))),
    });
  });

const servicesIn = (context: ResolutionContext): Services =>
  new Proxy({} as Services, { get: (_, name) => context.get(tokens[name as Name]) });

/** Throws if there is no binding. */
export const resolve = <Service>(container: Container, service: Token<Service>): Service =>
  container.get<Service>(service);

export const resolveAll = <Service>(container: Container, service: Token<Service>): Service[] =>
  container.getAll<Service>(service);
