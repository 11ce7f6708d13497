/**
 * Moving an account out: the node lends a copy of its store as it is at one moment, and this process writes the folder. A node
 * of another machine sends the account instead; sealing it is this process's work all the same.
 */
import { existsSync } from 'node:fs'
import { beginArchive } from '../../store/backup/archive.js'
import type { Secret } from '../../store/model/secret.js'
import { accountNamed, exportAccount, type Exported, type ExportOptions } from '../../server/accountTransfer/exportAccount.js'
import { withCopy } from '../../server/accountTransfer/sources.js'
import { withNodeCopy } from '../backup/nodeCopy.js'
import type { Context } from '../command.js'
import { CommandError } from '../framework/exit.js'
import { downloadAccount } from './downloadAccount.js'

export interface ExportInput extends ExportOptions {
  username: string
  /** Where the folder will be; nothing may be there. */
  folder: string
  passphrase: Secret<string> | undefined
}

/** Exports an account. @throws CommandError 6 when something is at the folder's place; what archives throw */
export async function exportAccountTo(context: Context, { username, folder, passphrase, ...options }: ExportInput): Promise<Exported> {
  if (existsSync(folder)) throw new CommandError(`There is something at ${folder} already.`, { exit: 6, hint: 'Name a folder that is not there.' })
  const client = await context.connect('unlimited')
  // An unknown account is told before anything is copied.
  await client.call('users.show', { username }, {})
  if (client.transfers !== undefined) return downloadAccount(client.transfers, { username, folder, passphrase, ...options })
  return withNodeCopy(client, (copy) =>
    withCopy(copy, () => context.now(), async (source) => {
      const draft = await beginArchive({ folder, passphrase })
      return exportAccount(source, accountNamed(source, username), draft, options)
    }),
  )
}
