/** Damage in tables that are read once the node is open is logged with the next command. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createLog } from '../../src/server/base/log.js'
import { loadConfig } from '../../src/server/config/config.js'
import { openNode } from '../../src/server/index.js'
import { initialise } from '../../src/server/launch/init.js'
import type { EarlyInspection } from '../../src/store/engine/inspection.js'
import { placesOf } from '../support/nodes/node.js'

it('logs damage in tables that is found while the node runs, and ends the inspection with the node', async () => {
  const home = await mkdtemp(join(tmpdir(), 'coffer-tables-'))
  const places = placesOf(home)
  await initialise(places)
  const verifyOthers = vi.fn<EarlyInspection['verifyOthers']>(() => Promise.resolve())
  const stop = vi.fn(() => Promise.resolve())
  const lines: string[] = []
  const node = await openNode({
    store: places.store,
    key: places.key,
    config: loadConfig({ file: places.config }),
    log: createLog('error', () => 0, (line) => void lines.push(line)),
    inspection: { listed: '', finish: () => Promise.resolve(undefined), verifyOthers, stop },
  })
  expect(verifyOthers).toHaveBeenCalledOnce()
  verifyOthers.mock.calls[0]?.[0]([{ file: '000012.ldb', offset: 7, what: 'has a block with a wrong checksum (9 bytes)' }])
  expect(lines.join('')).toContain('coffer store repair')
  expect(lines.join('')).toContain('000012.ldb, at byte 7, has a block with a wrong checksum (9 bytes)')
  expect(stop).not.toHaveBeenCalled()
  await node.close()
  expect(stop).toHaveBeenCalledOnce()
  await rm(home, { recursive: true, force: true })
})
