/** Backups of single accounts beside those of the node: the same format as `coffer users export`, named by time. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { archivesIn, dropUnfinished } from '../../../../store/backup/archive.js'
import { nameOf, type CreateInput, type BackupResult } from '../../backup/shared/create.js'
import { optionalPassphrase, newPassphrase } from '../../backup/shared/passphrase.js'
import { interruption } from '../../../client/interruption.js'
import type { Context } from '../../../command.js'
import { exportAccountTo } from './exportAccount.js'

/** Creates an archive of one account in `folder`. */
export async function backUpAccount(
  context: Context,
  folder: string,
  options: CreateInput & { user: string },
  progress: (noun: string, count: number) => void,
): Promise<BackupResult> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await dropUnfinished(folder, context.now())
  const name = nameOf(context.now(), (await archivesIn(folder)).map(({ name: existing }) => existing), `-${options.user}`)
  const passphrase = options.unsealed ? undefined : ((await optionalPassphrase(context, options)) ?? (context.terminal.mayAsk ? await newPassphrase(context) : undefined))
  const path = join(folder, name)
  const stopping = interruption()
  try {
    const result = await exportAccountTo(context, { username: options.user, folder: path, passphrase, stopping, withFiles: true, progress })
    return { ...result, readBytes: result.manifest.bytes, path }
  } finally {
    stopping.end()
  }
}
