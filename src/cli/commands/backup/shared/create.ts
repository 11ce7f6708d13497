/** Creates a backup: the node provides a snapshot of its store, and this process writes the archive. */
import { readFile } from 'node:fs/promises'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { archivesIn, dropUnfinished, openArchive, type Archive } from '../../../../store/backup/archive.js'
import { WrongPassphrase } from '../../../../store/keyring/passphraseEncryption.js'
import { createArchive, type CreatedArchive } from '../../../../store/backup/create.js'
import type { Manifest } from '../../../../store/backup/manifest.js'
import type { Secret } from '../../../../store/model/secret.js'
import { productVersion } from '../../../../server/base/version.js'
import type { Context } from '../../../command.js'
import { CommandError } from '../../../framework/exit.js'
import { withMarkedCopy } from './nodeCopy.js'
import { optionalPassphrase, neededPassphrase, newPassphrase, type PassphraseOptions } from './passphrase.js'

export interface CreateInput extends PassphraseOptions {
  /** True to copy nothing from earlier archives. */
  full: boolean
  /** True for an archive without encryption. */
  unsealed: boolean
}

export interface BackupResult extends CreatedArchive {
  path: string
}

/** Creates an archive of the whole node in `folder`. */
export async function makeBackup(
  context: Context,
  folder: string,
  options: CreateInput,
  progress: (bytes: number, of: number) => void,
): Promise<BackupResult> {
  const { paths } = context
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await dropUnfinished(folder, context.now())
  const former = await archivesIn(folder)
  const latest = options.full ? undefined : former.filter(({ kind }) => kind === 'node').at(-1)
  const { base, passphrase } = await keysFor(context, folder, latest, options)
  const config = await readFile(paths.config).catch(() => undefined)
  const client = await context.connect('unlimited')
  const path = join(folder, nameOf(context.now(), former.map(({ name }) => name)))
  const created = await withMarkedCopy(client, base?.manifest.mark, ({ store, files, key, mark, changed }) =>
    createArchive(
      { store, files, home: { key: Buffer.from(key.reveal()), ...(config === undefined ? {} : { config }) } },
      {
        folder: path,
        ...(passphrase === undefined ? {} : { passphrase }),
        ...(base === undefined ? {} : { base }),
        mark,
        ...(changed === undefined ? {} : { changed }),
        now: () => context.now(),
        product: productVersion(),
        progress,
      },
    ),
  )
  return { ...created, path }
}

/** Returns the earlier archive to build on, or the passphrase of a new key. */
async function keysFor(
  context: Context,
  folder: string,
  latest: Manifest | undefined,
  options: CreateInput,
): Promise<{ base?: Archive; passphrase?: Secret<string> }> {
  const { terminal } = context
  const entered = options.unsealed ? undefined : await optionalPassphrase(context, options)
  if (latest === undefined) {
    if (entered !== undefined) return { passphrase: entered }
    return options.unsealed || !terminal.mayAsk ? {} : { passphrase: await newPassphrase(context) }
  }
  const place = join(folder, latest.name)
  if (latest.sealing === undefined) {
    // An encrypted archive must not reuse parts of an unencrypted one.
    return entered === undefined ? { base: await openArchive(place, () => neededPassphrase(context, options)) } : { passphrase: entered }
  }
  if (options.unsealed) return {}
  const passphrase = entered ?? (await neededPassphrase(context, options))
  try {
    return { base: await openArchive(place, () => Promise.resolve(passphrase)) }
  } catch (error) {
    if (!(error instanceof WrongPassphrase)) throw error
    throw new CommandError(`The passphrase does not match the backups in ${folder}.`, {
      exit: 12,
      cause: error,
      hint: ['To start a new series with this passphrase', 'backup', 'create', '--full'],
    })
  }
}

/** Returns an archive name: `2026-11-22T203000Z` with the suffix `end`, and with a number when that name is used. */
export function nameOf(now: number, usedNames: readonly string[], end = ''): string {
  const name = `${new Date(now * 1000).toISOString().slice(0, 19).replaceAll(':', '')}Z${end}`
  for (let n = 1; ; n++) {
    const each = n === 1 ? name : `${name}-${n}`
    if (!usedNames.includes(each)) return each
  }
}
