/** Relationships of accounts that are given another name: both sides follow, and former names lead to them. */
import { expect, it } from 'vitest'
import { withNode } from '../../../support/nodes/started.js'
import { activePair, invitedPair, markedOf, mirrorsOf, newPair, tried, type Pair } from './support.js'

const at = withNode({ 'auth.adminAccessKey': 'the key of the platform' })

const renamed = async (stage: Pair['a']): Promise<string> => {
  const newUsername = `${stage.username}-new`
  await stage.arrange('account.changeUsername', { newUsername })
  return newUsername
}
const controlledBy = async ({ a }: Pair): Promise<unknown> => (await a.arrange('delegations.listControlled', {}))['controlled']
const delegatesOf = async ({ b }: Pair): Promise<unknown> => (await b.arrange('delegations.listDelegates', {}))['delegates']

it('the controlled account is listed and acted for by its present name, and by the former one', async () => {
  const pair = await activePair(at())
  const former = pair.b.username
  const name = await renamed(pair.b)
  expect(await controlledBy(pair)).toMatchObject([{ controlled: { username: name, hostSlug: '127-0-0-1' }, status: 'active' }])
  const tokens = []
  for (const username of [name, former, former.toUpperCase()]) {
    const { token, apiEndpoint } = await pair.a.arrange('delegations.getToken', { username })
    expect(apiEndpoint).toContain(`/${name}/`)
    tokens.push(token)
  }
  expect(new Set(tokens).size).toBe(1)
  expect(await controlledBy(pair)).toMatchObject([{ status: 'active' }])
  expect(await tried(pair.a, pair.a.owner, 'delegations.getToken', { username: 'nobody-here' })).toEqual([404, 'delegation-not-found'])
})

it('the delegate is listed by its present name, and detached by either', async () => {
  for (const by of ['present', 'former'] as const) {
    const pair = await activePair(at())
    const former = pair.a.username
    const name = await renamed(pair.a)
    expect(await delegatesOf(pair)).toMatchObject([{ delegate: { username: name, hostSlug: '127-0-0-1' }, status: 'active' }])
    await pair.a.arrange('delegations.getToken', { username: pair.b.username })
    await pair.b.arrange('delegations.detachDelegate', { username: by === 'present' ? name : former })
    expect([await delegatesOf(pair), await controlledBy(pair), await markedOf(pair.b)]).toEqual([[], [], []])
  }
})

it.each(['a', 'b', 'both'] as const)('an invite is accepted after %s was renamed', async (who) => {
  const pair = await invitedPair(at())
  const former = pair.b.username
  if (who !== 'b') await renamed(pair.a)
  const name = who === 'a' ? former : await renamed(pair.b)
  const { delegation } = await pair.a.arrange('delegations.acceptAttach', { username: former })
  expect(delegation).toMatchObject({ controlled: { username: name }, status: 'active' })
  expect((await pair.a.arrange('delegations.acceptAttach', { username: name }))['delegation']).toMatchObject({ controlled: { username: name } })
  expect((await pair.a.arrange('delegations.getToken', { username: name }))['token']).toEqual(expect.any(String))
})

it('an invite is refused, and taken back, by the present name', async () => {
  const [refused, cancelled] = [await invitedPair(at()), await invitedPair(at())]
  await refused.a.arrange('delegations.refuseAttach', { username: await renamed(refused.b) })
  await cancelled.b.arrange('delegations.cancelInvite', { username: await renamed(cancelled.a) })
  for (const pair of [refused, cancelled]) expect([await delegatesOf(pair), await controlledBy(pair)]).toEqual([[], []])
})

it('is not invited a second time under another name', async () => {
  const pair = await invitedPair(at())
  const name = await renamed(pair.a)
  for (const delegateUsername of [name, pair.a.username]) {
    expect(await tried(pair.b, pair.b.owner, 'delegations.requestAttach', { delegateUsername })).toEqual([409, 'delegation-already-exists'])
  }
})

it('an account that was let go and invites again is listed once', async () => {
  const pair = await activePair(at())
  const name = await renamed(pair.b)
  // The end got lost on the way: the delegate keeps its half.
  const [mirror] = await mirrorsOf(pair.a)
  await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
  expect(mirror).toBeDefined()
  await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
  expect(await controlledBy(pair)).toMatchObject([{ controlled: { username: name }, status: 'invite' }])
})

it('an account cannot be its own delegate under a former name', async () => {
  const { a } = await newPair(at())
  const former = a.username
  await renamed(a)
  expect(await tried(a, a.owner, 'delegations.requestAttach', { delegateUsername: former })).toEqual([400, 'delegation-self-not-allowed'])
})
