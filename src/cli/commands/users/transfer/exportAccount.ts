/**
 * Exports an account. The local node provides a snapshot of its store and this process writes the folder; a remote node
 * sends the account. This process encrypts it in both cases.
 */
import { existsSync } from 'node:fs'
import { beginArchive } from '../../../../store/backup/archive.js'
import type { Secret } from '../../../../store/model/secret.js'
import { accountNamed, exportAccount, type Exported, type ExportOptions } from '../../../../server/accountTransfer/exportAccount.js'
import { withCopy } from '../../../../server/accountTransfer/sources.js'
import { withNodeCopy } from '../../backup/shared/nodeCopy.js'
import { accountOf } from '../../../client/user.js'
import type { Interruption } from '../../../client/interruption.js'
import type { Context } from '../../../command.js'
import { CommandError } from '../../../framework/exit.js'
import { amount } from '../../../terminal/output/format.js'
import { downloadAccount } from './downloadAccount.js'

interface ExportInput extends ExportOptions {
  /** The account; undefined for the only one, or the default one. */
  username: string | undefined
  /** Path of the new folder; nothing may exist there. */
  folder: string
  passphrase: Secret<string> | undefined
  /** Ctrl-C of the command. */
  stopping: Interruption
}

/**
 * Exports an account; returns its username too.
 * @throws errors of accountOf; CommandError 6 when the folder exists; errors of archives
 */
export async function exportAccountTo(context: Context, { username: given, folder, passphrase, stopping, ...options }: ExportInput): Promise<Exported & { username: string }> {
  if (existsSync(folder)) throw new CommandError(`${folder} already exists.`, { exit: 6, hint: 'Choose a folder that does not exist.' })
  const client = await context.connect('unlimited')
  const { user: username } = await accountOf(client, given)
  // Check the account before anything is copied.
  await client.call('users.show', { username }, {})
  if (client.transfers !== undefined) return { username, ...(await downloadAccount(client.transfers, { username, folder, passphrase, stopping, ...options })) }
  const exported = await withNodeCopy(client, (copy) =>
    withCopy(copy, () => context.now(), async (source) => {
      const draft = await beginArchive({ folder, passphrase })
      return exportAccount(source, accountNamed(source, username), draft, options)
    }),
  )
  return { username, ...exported }
}

/** Returns the error of an export that Ctrl-C ended; `done` are the items by kind that were read. */
export function interruptedArchive(done: Readonly<Record<string, number>>, folder: string): CommandError {
  const words = Object.entries(done).map(([noun, count]) => `${amount(count)} ${noun}`)
  const after = words.length === 0 ? '' : ` after ${words.join(', ')}`
  return new CommandError(`Interrupted${after}. Nothing was written to ${folder}.`, { exit: 130, hint: 'To export the account, run the same command again; it starts from the beginning.' })
}
