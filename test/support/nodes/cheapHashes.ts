/**
 * Replaces Argon2id in password hashes of tests (vitest.config.ts): the same function at its lowest cost, because tests register
 * hundreds of accounts. A hash contains its cost: `verify` also accepts hashes of other processes at their full cost.
 */
import { hash as hashAtCost } from '@node-rs/argon2'

export { verify } from '@node-rs/argon2'

export const hash = (password: string): Promise<string> => hashAtCost(password, { memoryCost: 64, timeCost: 1 })
