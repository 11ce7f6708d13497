/** Tests of commands on accesses that a delegation manages, and on sessions of delegates. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DELEGATE, grantManaged, managedKinds } from '../../../support/people/delegatedAccess.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const username = 'ana-lovelace'
let home: TestHome
let node: TestNode
beforeAll(async () => {
  home = await testHome(username)
  node = await startTestNode({}, { home: home.home })
})
afterAll(async () => {
  await node.stop()
  await home.remove()
})

it('refuses to revoke or change an access of a delegation, and suggests how to end the delegation', async () => {
  for (const kind of managedKinds) {
    const { id, token } = await grantManaged({ node, username }, kind)
    for (const line of [`accesses revoke ${id}`, `accesses update ${id} --name mine`]) {
      const { code, out, err } = await home.run(line)
      expect({ line, code, out }).toEqual({ line, code: 1, out: '' })
      expect(err).toContain('This access belongs to a delegation, and ends with it.')
      expect(err).toContain('coffer delegations list, then coffer delegations detach')
      const { err: document } = await home.run(`${line} --json`)
      expect(JSON.parse(document)).toMatchObject({ error: { id: 'invalid-operation', data: { id: 'delegation-managed-resource' } } })
    }
    expect((await request(`${node.url}${username}/access-info`, { token })).status).toBe(200)
  }
})

it('ends the session of a delegate, and explains that the delegation continues', async () => {
  const app = `delegation:${DELEGATE.username}@${DELEGATE.hostSlug}`
  const { code, err } = await home.run(`sessions end ${app}`)
  expect(code).toBe(0)
  expect(err).toContain('1 session of ana-lovelace ended')
  expect(err).toContain('coffer delegations detach')
  const { accesses } = await home.json('accesses list')
  expect(accesses).toContainEqual(expect.objectContaining({ name: app }))
  expect((await home.run('sessions end coffer-cli')).err).not.toContain('delegations')
})
