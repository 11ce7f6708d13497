/** Data of every released version opens completely: stores, backups, and exported accounts. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { repairHome } from '../../src/server/maintenance/repair/repairHome.js'
import { restoreHome } from '../../src/server/maintenance/restoreHome.js'
import { archivesIn, openArchive } from '../../src/store/backup/archive.js'
import { openDatabase } from '../../src/store/engine/database.js'
import { Secret } from '../../src/store/model/secret.js'
import { coffer } from '../cli/support/testTerminal.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { placesOf, startTestNode } from '../support/nodes/node.js'
import { textsOnDisk } from '../support/store/onDisk.js'
import { PASSPHRASE, REMOVED, readContent, type StoredFormat } from './reading.js'

const formatsFolder = fileURLToPath(new URL('kept/', import.meta.url))
const { folder, home } = homes()
/** Profile sets of formats that contain none. */
const NO_PROFILES = { 'profile set public': {}, 'profile set app': {} }

/** Returns records that a repair rebuilds from changes. From format 2 on, profile sets are registers, without changes. */
const rebuildable = (name: string): string[] => (name === '0.1.0-format2' ? ['1/t/weight'] : ['1/p/public', '1/b/pprivate', '1/t/weight'])

/** Unpacks what was kept under a name; answers where it is. */
async function unpacked(name: string, what: string): Promise<string> {
  const at = await folder()
  mkdirSync(at, { recursive: true })
  execFileSync('tar', ['-xzf', join(formatsFolder, name, `${what}.tar.gz`), '-C', at])
  return join(at, what)
}

describe.each(readdirSync(formatsFolder))('data of version %s', (name) => {
  const { token, shown } = JSON.parse(readFileSync(join(formatsFolder, name, 'kept.json'), 'utf8')) as StoredFormat

  async function expectContent(at: string): Promise<void> {
    const node = await startTestNode({ 'versioning.forceKeepHistory': true }, { home: at })
    try {
      expect(await readContent(node.url, token)).toEqual({ ...NO_PROFILES, ...shown })
      await node.node.store.db.compact({ gte: '', lt: '\u{10ffff}' })
    } finally {
      await node.stop()
    }
    await expectSound(placesOf(at))
    // Opening it has migrated profile sets, and removed their former values.
    expect(await textsOnDisk(placesOf(at).store, [REMOVED])).toEqual([])
  }

  it('opens as a home', async () => {
    const at = await unpacked(name, 'home')
    await expectSound(placesOf(at))
    await expectContent(at)
  })

  it('is repaired by the store repair', async () => {
    const places = placesOf(await unpacked(name, 'home'))
    const db = await openDatabase(join(places.store, 'db'))
    const batch = db.batch()
    for (const key of rebuildable(name)) batch.delete(key)
    await batch.write({ sync: true })
    await db.close()
    const accept = (): Promise<void> => Promise.resolve()
    const now = (): number => Date.now() / 1000
    const report = await repairHome(places, { archive: undefined, peer: undefined, passphrase: undefined, integrity: 'sha256', dryRun: false, accept, now, progress: () => {} })
    expect(report.lost).toEqual([])
    await expectContent(places.home)
  })

  it.each(['backup', 'sealed'])('is restored from a %s', async (what) => {
    const at = await unpacked(name, what)
    const [archive] = await archivesIn(at)
    const places = placesOf(await folder())
    const comparison = await restoreHome(await openArchive(join(at, archive?.name ?? ''), () => Promise.resolve(new Secret(PASSPHRASE))), places)
    expect(comparison).toMatchObject({ differences: 0, problems: [] })
    await expectContent(places.home)
  })

  it('is imported as an account', async () => {
    const places = await home()
    const { code, err } = await coffer(['users', 'import', await unpacked(name, 'account'), '--home', places.home, '--no-input'])
    expect(code, err).toBe(0)
    await expectContent(places.home)
  })
})
