import { type Container, ContainerModule, type MapToResolvedValueInjectOptions } from "inversify";
import { type Background, background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { type Token, tokens } from "./tokens.ts";

export type Name = keyof typeof tokens;
export type Service<N extends Name> = (typeof tokens)[N] extends Token<infer Type> ? Type : never;
type Services<Names extends Name[]> = { [Index in keyof Names]: Service<Names[Index]> };

/** Binds a singleton that `build` makes of other services. All are named as in `tokens`, which gives their types. */
export type Provide = <N extends Name, Names extends Name[]>(
  name: N,
  dependencies: [...Names],
  build: (...services: Services<Names>) => Service<N>,
) => void;

interface Bindings {
  readonly provide: Provide;
  /** Binds work that the clock repeats. `run` gets the services and a signal that ends it. */
  provideTick<Names extends Name[]>(
    name: string,
    everySeconds: number,
    dependencies: [...Names],
    run: (...args: [...services: Services<Names>, signal: AbortSignal]) => unknown,
  ): void;
  /** Binds a part that the process starts and stops. */
  provideBackground<Names extends Name[]>(
    name: string,
    stage: Background["stage"],
    dependencies: [...Names],
    build: (...services: Services<Names>) => Pick<Background, "start" | "stop">,
  ): void;
}

export const moduleOf = (define: (bindings: Bindings) => void): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const provide: Provide = <N extends Name, Names extends Name[]>(
      name: N,
      dependencies: [...Names],
      build: (...services: Services<Names>) => Service<N>,
    ) => {
      const identifiers = dependencies.map((each) => tokens[each]) as MapToResolvedValueInjectOptions<Services<Names>>;
      bind<Service<N>>(tokens[name]).toResolvedValue(build, identifiers).inSingletonScope();
    };
    define({
      provide,
      provideTick: (name, everySeconds, dependencies, run) =>
        provide("tick", dependencies, (...services) => tick(name, everySeconds, (signal) => run(...services, signal))),
      provideBackground: (name, stage, dependencies, build) =>
        provide("background", dependencies, (...services) => background(name, stage, build(...services))),
    });
  });

/** Throws if there is no binding. */
export const resolve = <Service>(container: Container, service: Token<Service>): Service =>
  container.get<Service>(service);

export const resolveAll = <Service>(container: Container, service: Token<Service>): Service[] =>
  container.getAll<Service>(service);
