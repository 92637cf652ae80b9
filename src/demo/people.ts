import type { BusinessFixture, UserFixture } from "../fixtures/businesses/business.ts";
import { administratorRole } from "../kernel/ids.ts";
import type { Random } from "../sandbox/core/random.ts";

const firstNames = [
  ...["Ana", "Luis", "María", "José", "Carla", "Diego", "Lucía", "Marco", "Paola", "Rodrigo"],
  ...["Sofía", "Álvaro", "Valeria", "Hugo", "Camila", "Jorge", "Daniela", "Freddy", "Noelia", "Iván"],
];
const lastNames = [
  ...["Mamani", "Quispe", "Flores", "Vargas", "Choque", "Rojas", "Gutiérrez", "Condori"],
  ...["Suárez", "Aguilar", "Medina", "Torrico", "Peredo", "Arce", "Limachi"],
];

export const fullName = (random: Random) => `${random.pick(firstNames)} ${random.pick(lastNames)}`;

/** @param nth - the position among the users with that role */
export function userOf({ id, users }: BusinessFixture, roleId: number, nth = 0): UserFixture {
  const user = users.filter((candidate) => candidate.roleId === roleId)[nth];
  if (!user) throw new Error(`the demo's business ${id} has no user ${nth} of role ${roleId}`);
  return user;
}

/** The administrator whom an operator creates together with the business. */
export const firstAdministratorOf = (business: BusinessFixture): UserFixture => userOf(business, administratorRole);

export function usersOf(base: number, businessId: number, random: Random): UserFixture[] {
  const roles = [1, 5, 5, 5, 2];
  return roles.map((roleId, index) => ({
    id: base + index + 1,
    name: fullName(random),
    email: `${roleId === 1 ? "admin" : `user${index + 1}`}@business${businessId}.example.com`,
    roleId,
    available: roleId === 5 && index !== 3,
  }));
}
