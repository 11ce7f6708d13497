/**
 * Restores one account of a node backup: restores the backup to a temporary folder, exports the account and imports it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beginArchive, type Archive } from '../../../../store/backup/archive.js'
import { homeIn, writeStore } from '../../../../store/backup/restore.js'
import { Secret } from '../../../../store/model/secret.js'
import { accountNamed, exportAccount } from '../../../../server/accountTransfer/exportAccount.js'
import { withCopy } from '../../../../server/accountTransfer/sources.js'
import type { Context } from '../../../command.js'
import type { ExitCode } from '../../../framework/exit.js'
import { runImport, writeImportResult } from './importAccount.js'

interface RestoreUserOptions {
  user: string
  as: string | undefined
  email: string | undefined
  scratch: string | undefined
  dryRun: boolean
}

/**
 * Restores an account of a node archive into the node of the context, running or not.
 * @throws Failure `unknown-user` when the backup has no such account; errors of archives and imports
 */
export async function restoreUser(
  context: Context,
  archive: Archive,
  { user, as, email, scratch, dryRun }: RestoreUserOptions,
  progress: (bytes: number, of: number) => void,
): Promise<ExitCode | undefined> {
  const tempFolder = await mkdtemp(join(resolve(scratch ?? tmpdir()), 'coffer-restore-'))
  try {
    const copy = { store: join(tempFolder, 'store'), files: join(tempFolder, 'files') }
    const { key } = await homeIn(archive)
    await writeStore(archive, copy, progress)
    const folder = join(tempFolder, 'account')
    await withCopy({ ...copy, key: new Secret<Uint8Array>(key) }, () => context.now(), async (source) => {
      const account = accountNamed(source, user)
      await exportAccount(source, account, await beginArchive({ folder }), { withFiles: true })
    })
    const client = await context.connect('unlimited')
    return await writeImportResult(context, await runImport(context, client, { folder, as, email, dryRun }, undefined), { dryRun })
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
}
