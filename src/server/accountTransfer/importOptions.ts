/** Options of an account import. */
import * as z from 'zod'
import { Address } from '../api/account/emailOperations.js'
import { hashPassword, assertPasswordStrength } from '../auth/password.js'
import type { Context } from '../call/context.js'
import type { ImportOptions } from './importContext.js'

export const ImportOptionsInput = {
  as: z.string().optional().describe('User name of the account; default: that of the archive.'),
  email: Address.optional().describe('E-mail address of the account; default: that of the archive.'),
  password: z.string().optional().describe('Password of the account; default: that of the archive.'),
  dryRun: z.boolean().optional().describe('true: validate the archive without changing anything.'),
}

/** Parses the options of an import. @throws Failure for a password that is too weak */
export async function parseImportOptions(node: Context, { as, email, password, dryRun }: z.output<z.ZodObject<typeof ImportOptionsInput>>): Promise<ImportOptions> {
  if (password !== undefined) assertPasswordStrength(node.config, password)
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return { as, email, passwordHash, dryRun: dryRun === true }
}
