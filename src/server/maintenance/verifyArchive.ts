/** Verification of a node archive: restores it, compares it, and checks the store. */
import { join } from 'node:path'
import type { Archive } from '../../store/backup/archive.js'
import { compareStore, homeIn, writeStore, type Comparison } from '../../store/backup/restore.js'
import { checkStore } from '../../store/check/index.js'
import { Secret } from '../../store/model/secret.js'
import { isSealedWith, openStore } from '../../store/engine/open.js'
import { createSeal } from '../../store/keyring/seal.js'
import { changeComparison } from '../../sync/merge/changeComparison.js'
import { systemClock } from '../base/clock.js'
import type { RestoreProgress } from './restoreHome.js'
import { createCheckHelper } from './work/checkHelper.js'

export interface Verified extends Comparison {
  /** Number of entries checked in the restored store, by kind. */
  checked: Record<string, number>
  /** Problems that the check found. */
  damage: string[]
}

/**
 * Restores an archive into `scratch`, an empty folder that the caller removes.
 * @throws ArchiveDamaged, StoreDamaged
 */
export async function verifyArchive(archive: Archive, scratch: string, progress: RestoreProgress = {}): Promise<Verified> {
  const target = { store: join(scratch, 'store'), files: join(scratch, 'files') }
  const { key } = await homeIn(archive)
  await writeStore(archive, target, progress.written)
  const comparison = await compareStore(archive, target, progress.compared)
  return { ...comparison, ...(await soundnessOf(target, new Secret<Uint8Array>(key))) }
}

/**
 * Checks a restored store and returns the problems.
 * @throws StoreDamaged
 */
export async function soundnessOf(target: { store: string; files: string }, key: Secret<Uint8Array>): Promise<Pick<Verified, 'checked' | 'damage'>> {
  const opened = await openStore({ folder: target.store, now: () => systemClock.now(), isShared: true })
  const helper = createCheckHelper(opened.db.folder)
  try {
    const seal = await createSeal(key)
    if (!isSealedWith(opened.format, seal)) return { checked: {}, damage: ['the key in the archive does not match its store'] }
    const { checked, problems } = await checkStore(opened.db, {
      ...{ head: opened.committer.head, files: target.files, seal, comparison: changeComparison },
      ...(helper === undefined ? {} : { helper }),
    })
    return { checked, damage: problems.map(({ where, what }) => `${where} ${what}`) }
  } finally {
    await helper?.close()
    await opened.close()
  }
}
