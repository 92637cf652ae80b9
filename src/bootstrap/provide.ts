import type { Bind, BindWhenOnFluentSyntax, Container, MapToResolvedValueInjectOptions } from "inversify";

/** A service identifier that remembers its service's type, which a plain symbol forgets. */
export type Token<Service> = symbol & { readonly __service?: Service };

export const token = <Service>(name: string): Token<Service> => Symbol(name);

type TokensFor<Deps extends unknown[]> = { [Index in keyof Deps]: Token<Deps[Index]> };

/** Binds `service`, one per process, to what `build` makes of `deps`; the compiler checks their types and order. */
export function provide<Service, Deps extends unknown[]>(
  bind: Bind,
  service: Token<Service>,
  deps: [...TokensFor<Deps>],
  build: (...deps: Deps) => NoInfer<Service>,
): BindWhenOnFluentSyntax<Service> {
  const identifiers = deps as unknown as MapToResolvedValueInjectOptions<Deps>;
  return bind<Service>(service).toResolvedValue(build, identifiers).inSingletonScope();
}

/** The one service of the process that is bound to `service`; throws when a binding is missing. */
export const resolve = <Service>(container: Container, service: Token<Service>): Service =>
  container.get<Service>(service);

/** All that are bound to `service`. */
export const resolveAll = <Service>(container: Container, service: Token<Service>): Service[] =>
  container.getAll<Service>(service);
