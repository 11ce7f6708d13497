/**
 * Pairings with a kill of either node: then both are paired, or neither, or the accepting one reports the next step. `SEED`
 * repeats a run as far as timing allows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, folder, json } from '../acceptance/support/coffer.js'
import { createSharedItems, readSame } from '../support/sync/finalState.js'
import { expectInSync, makeAccount, offer, pair, syncNode, USER, type SyncNode } from '../support/sync/nodeProcesses.js'
import { seeded } from '../store/leveldb/fixtures.js'

const LONG = process.env['LONG'] === '1'
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const ROUNDS = Number(process.env['ROUNDS'] ?? 16)

const cleanUp = afterTheFile()
beforeAll(() => {
  if (LONG) build()
})

it.runIf(LONG)(`a pairing with a killed node is stored by both, by neither, or the next step is reported (seed ${SEED})`, { timeout: 600_000 }, async () => {
  const next = seeded(SEED)
  const base = folder(cleanUp)
  const [a, b] = [await syncNode(join(base, 'a'), cleanUp), await syncNode(join(base, 'b'), cleanUp)]
  const token = await makeAccount(await a.start())
  await createSharedItems(a.url ?? '', token)
  await b.start()
  const came: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round++) {
    const victim = next(2) === 0 ? a : b
    const { link, ended } = await offer(a)
    const accepting = acceptAndConfirm(b, link).then(() => 'paired', (error: unknown) => String(error))
    await sleep(next(next(3) === 0 ? 1500 : 400))
    await victim.kill()
    const accepted = await Promise.race([accepting, sleep(20_000).then(() => 'no answer')])
    const offered = await Promise.race([ended, sleep(20_000).then(() => undefined)])
    await victim.start()
    const [offerer, accepter] = [await peersOf(a), await peersOf(b)]
    const outcome = `${offerer.length > 0 ? 'offerer' : '-'} ${accepter.length > 0 ? 'accepter' : '-'}, ${victim === a ? 'offerer' : 'accepter'} killed`
    came[outcome] = (came[outcome] ?? 0) + 1
    const summary = JSON.stringify({ outcome, accepted, offered })
    if (offerer.length > 0 && accepter.length > 0) await expectInSync(b)
    else if (accepter.length > 0) {
      const now = await b.run('sync', 'now', '--json', '--timeout', '30s')
      expect(now.code, summary).toBe(3)
      const [peer] = json(now)['peers'] as { reason?: string }[]
      expect(peer?.reason, summary).toMatch(/unpair/i)
    } else {
      expect(offerer, `the offerer alone is paired: ${summary}`).toEqual([])
      expect(accepted, summary).not.toBe('paired')
      expect(offered?.code, summary).not.toBe(0)
    }
    for (const node of [a, b]) {
      for (const { name } of await peersOf(node)) {
        const unpaired = await node.run('sync', 'unpair', name, '--user', USER, '--accept-risk=keep-copy', '--json')
        expect(unpaired.code, JSON.stringify(unpaired)).toBe(0)
      }
    }
  }
  console.log(JSON.stringify(came))
  await pair(a, b)
  await expectInSync(b)
  await readSame([a, b], token)
})

/** Accepts a pairing as `coffer sync accept` does. */
async function acceptAndConfirm(node: SyncNode, link: string): Promise<void> {
  const { pairing } = await node.ask('sync.accept', { username: USER, link, create: true })
  await node.ask('sync.confirm', { pairing: (pairing as { id: string }).id })
}

async function peersOf(node: SyncNode): Promise<{ name: string }[]> {
  const known = (await node.ask('users.list', {})) as { users?: { username: string }[] }
  if (known.users?.some(({ username }) => username === USER) === false) return []
  const { peers } = await node.ask('sync.peers', {})
  return peers as { name: string }[]
}
