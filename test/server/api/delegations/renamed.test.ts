/** Delegations of renamed accounts: both sides use the current username, and accept the former one. */
import { expect, it } from 'vitest'
import { withNode } from '../../../support/nodes/started.js'
import { activePair, invitedPair, markedOf, mirrorsOf, newPair, outcomeOf, type Pair } from './support.js'

const at = withNode({ 'auth.adminAccessKey': 'the key of the platform' })

const rename = async (stage: Pair['a']): Promise<string> => {
  const newUsername = `${stage.username}-new`
  await stage.arrange('account.changeUsername', { newUsername })
  return newUsername
}
const controlledBy = async ({ a }: Pair): Promise<unknown> => (await a.arrange('delegations.listControlled', {}))['controlled']
const delegatesOf = async ({ b }: Pair): Promise<unknown> => (await b.arrange('delegations.listDelegates', {}))['delegates']

it('a controlled account is listed by its current username, and found by its former one', async () => {
  const pair = await activePair(at())
  const former = pair.b.username
  const name = await rename(pair.b)
  expect(await controlledBy(pair)).toMatchObject([{ controlled: { username: name, hostSlug: '127-0-0-1' }, status: 'active' }])
  const tokens = []
  for (const username of [name, former, former.toUpperCase()]) {
    const { token, apiEndpoint } = await pair.a.arrange('delegations.getToken', { username })
    expect(apiEndpoint).toContain(`/${name}/`)
    tokens.push(token)
  }
  expect(new Set(tokens).size).toBe(1)
  expect(await controlledBy(pair)).toMatchObject([{ status: 'active' }])
  expect(await outcomeOf(pair.a, pair.a.owner, 'delegations.getToken', { username: 'nobody-here' })).toEqual([404, 'delegation-not-found'])
})

it('a delegate is listed by its current username, and detached by its current or former one', async () => {
  for (const usernameKind of ['present', 'former'] as const) {
    const pair = await activePair(at())
    const former = pair.a.username
    const name = await rename(pair.a)
    expect(await delegatesOf(pair)).toMatchObject([{ delegate: { username: name, hostSlug: '127-0-0-1' }, status: 'active' }])
    await pair.a.arrange('delegations.getToken', { username: pair.b.username })
    await pair.b.arrange('delegations.detachDelegate', { username: usernameKind === 'present' ? name : former })
    expect([await delegatesOf(pair), await controlledBy(pair), await markedOf(pair.b)]).toEqual([[], [], []])
  }
})

it.each(['a', 'b', 'both'] as const)('an invite is accepted after the rename of %s', async (side) => {
  const pair = await invitedPair(at())
  const former = pair.b.username
  if (side !== 'b') await rename(pair.a)
  const name = side === 'a' ? former : await rename(pair.b)
  const { delegation } = await pair.a.arrange('delegations.acceptAttach', { username: former })
  expect(delegation).toMatchObject({ controlled: { username: name }, status: 'active' })
  expect((await pair.a.arrange('delegations.acceptAttach', { username: name }))['delegation']).toMatchObject({ controlled: { username: name } })
  expect((await pair.a.arrange('delegations.getToken', { username: name }))['token']).toEqual(expect.any(String))
})

it('an invite is refused and cancelled by the current username', async () => {
  const [refused, cancelled] = [await invitedPair(at()), await invitedPair(at())]
  await refused.a.arrange('delegations.refuseAttach', { username: await rename(refused.b) })
  await cancelled.b.arrange('delegations.cancelInvite', { username: await rename(cancelled.a) })
  for (const pair of [refused, cancelled]) expect([await delegatesOf(pair), await controlledBy(pair)]).toEqual([[], []])
})

it('a renamed delegate is not invited a second time', async () => {
  const pair = await invitedPair(at())
  const name = await rename(pair.a)
  for (const delegateUsername of [name, pair.a.username]) {
    expect(await outcomeOf(pair.b, pair.b.owner, 'delegations.requestAttach', { delegateUsername })).toEqual([409, 'delegation-already-exists'])
  }
})

it('an account that detached its delegate and invites it again is listed once', async () => {
  const pair = await activePair(at())
  const name = await rename(pair.b)
  // The mirror of the delegate exists before the detachment.
  const [mirror] = await mirrorsOf(pair.a)
  await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
  expect(mirror).toBeDefined()
  await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
  expect(await controlledBy(pair)).toMatchObject([{ controlled: { username: name }, status: 'invite' }])
})

it('an account cannot be its own delegate by its former username', async () => {
  const { a } = await newPair(at())
  const former = a.username
  await rename(a)
  expect(await outcomeOf(a, a.owner, 'delegations.requestAttach', { delegateUsername: former })).toEqual([400, 'delegation-self-not-allowed'])
})
