import type { Bind, BindWhenOnFluentSyntax, Container, MapToResolvedValueInjectOptions } from "inversify";
import { tick } from "../infra/jobs/clock.ts";
import { type Token, tokens } from "./tokens.ts";

type Name = keyof typeof tokens;
type Service<N extends Name> = (typeof tokens)[N] extends Token<infer Type> ? Type : never;
type Services<Names extends Name[]> = { [Index in keyof Names]: Service<Names[Index]> };

/** Binds a singleton that `build` makes of other services. All are named as in `tokens`, which gives their types. */
export function provide<N extends Name, Names extends Name[]>(
  bind: Bind,
  name: N,
  dependencies: [...Names],
  build: (...services: Services<Names>) => Service<N>,
): BindWhenOnFluentSyntax<Service<N>> {
  const identifiers = dependencies.map((each) => tokens[each]) as MapToResolvedValueInjectOptions<Services<Names>>;
  return bind<Service<N>>(tokens[name]).toResolvedValue(build, identifiers).inSingletonScope();
}

/** Binds work that the clock repeats. `run` gets the services and a signal that ends it. */
export const provideTick = <Names extends Name[]>(
  bind: Bind,
  name: string,
  everySeconds: number,
  dependencies: [...Names],
  run: (...args: [...services: Services<Names>, signal: AbortSignal]) => unknown,
) =>
  provide(bind, "tick", dependencies, (...services) => tick(name, everySeconds, (signal) => run(...services, signal)));

/** Throws if there is no binding. */
export const resolve = <Service>(container: Container, service: Token<Service>): Service =>
  container.get<Service>(service);

export const resolveAll = <Service>(container: Container, service: Token<Service>): Service[] =>
  container.getAll<Service>(service);
