/**
 * Moving an account out: the node lends a copy of its store as it is at one moment, and this process writes the folder. A node
 * of another machine sends the account instead; sealing it is this process's work all the same.
 */
import { existsSync } from 'node:fs'
import { beginArchive } from '../../store/backup/archive.js'
import type { Secret } from '../../store/model/secret.js'
import { accountNamed, exportAccount, type Exported, type ExportOptions } from '../../server/transfer/exportAccount.js'
import { withCopy } from '../../server/transfer/sources.js'
import { withLentCopy } from '../backup/lent.js'
import type { Context } from '../command.js'
import { CommandError } from '../exit.js'
import { fetchAccount } from './fetching.js'

export interface ExportAsked extends ExportOptions {
  username: string
  /** Where the folder will be; nothing may be there. */
  folder: string
  passphrase: Secret<string> | undefined
}

/** Exports an account. @throws CommandError 6 when something is at the folder's place; what archives throw */
export async function exportUserTo(context: Context, { username, folder, passphrase, ...options }: ExportAsked): Promise<Exported> {
  if (existsSync(folder)) throw new CommandError(`There is something at ${folder} already.`, { exit: 6, hint: 'Name a folder that is not there.' })
  const door = await context.connect('unlimited')
  // An unknown account is told before anything is copied.
  await door.call('users.show', { username }, {})
  if (door.transfers !== undefined) return fetchAccount(door.transfers, { username, folder, passphrase, ...options })
  return withLentCopy(door, (copy) =>
    withCopy(copy, () => context.now(), async (source) => {
      const draft = await beginArchive({ folder, passphrase })
      return exportAccount(source, accountNamed(source, username), draft, options)
    }),
  )
}
