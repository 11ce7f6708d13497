/**
 * Kills a node while a delegate accepts, many times at once: at the first response, and shortly after the first call. After the
 * restart, accepting again leads to one relationship, one access of each kind, and a token.
 */
import { expect, it } from 'vitest'
import { activePair, anchorsOf, invitedPair, kindsOf, mirrorsOf, tokenOf, type Pair } from '../server/api/delegations/support.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { request, startTestNode } from '../support/nodes/node.js'
import { nodeProcesses } from './process.js'

const AT_ONCE = 20
/** Milliseconds after the calls at which the node is killed; undefined: at the first response. */
const MOMENTS = [undefined, 4]
const { home } = homes()
const startProcess = nodeProcesses()

it('a delegation is accepted once, with a kill at any time', { timeout: 60_000 }, async () => {
  const places = await home()
  const before = await startTestNode({}, { home: places.home })
  const pairs: Pair[] = []
  for (const _ of MOMENTS) pairs.push(await invitedPair(before))
  await before.stop()
  for (const [n, { a, b }] of pairs.entries()) {
    const child = await startProcess(places.home)
    const { url = '' } = await child.open()
    const path = `${url}${a.username}/delegations/controlled/${b.username}/accept`
    const answers = Array.from({ length: AT_ONCE }, () => request(path, { method: 'POST', token: a.owner }).catch(() => undefined))
    const wait = MOMENTS[n]
    if (wait === undefined) expect((await Promise.race(answers))?.status).toBe(200)
    else await new Promise((resolve) => setTimeout(resolve, wait))
    await child.kill()
    await Promise.all(answers)
  }
  const node = await startTestNode({}, { home: places.home })
  for (const pair of pairs) {
    const [a, b] = [{ ...pair.a, node }, { ...pair.b, node }]
    const { status } = await request(`${node.url}${a.username}/delegations/controlled/${b.username}/accept`, { method: 'POST', token: a.owner })
    expect(status).toBe(200)
    const [anchor, mirror] = [(await anchorsOf(b))[0], (await mirrorsOf(a))[0]]
    expect([anchor?.status, mirror?.status, mirror?.activatedAt]).toEqual(['active', 'active', anchor?.activatedAt])
    const body = await request(`${node.url}${a.username}/delegations/controlled/${b.username}/token`, { method: 'POST', token: a.owner })
    expect(body.status).toBe(200)
    // The capability may remain; it expires, or is removed with the relationship.
    expect((await kindsOf(b)).filter((kind) => kind !== 'invite-capability')).toEqual(['control', 'delegate-pat'])
    expect(await kindsOf(a)).toEqual(['notify'])
  }
  await tokenOf(await activePair(node))
  await node.stop()
  await expectSound(places)
})
