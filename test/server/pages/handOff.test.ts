/** Hand-off of a token through a shared secret, which the app retrieves once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept, accessesOf, APP, askAccess, consenting, pollOf } from '../../support/people/authorize.js'
import { attach } from '../../support/people/delegations.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
let alice: string
let bobby: string
beforeAll(async () => {
  node = await startTestNode({ 'access.terminalRetentionMs': 0 })
  alice = await registerUser(node, 'alice')
  bobby = await registerUser(node, 'bobby')
})
afterAll(() => node.stop())

const handOff = { credentialHandoff: 'shared-secret', returnURL: 'https://app.example/back?' }

describe('a token that is handed off', () => {
  it('is retrieved once with a key, and appears nowhere else', async () => {
    const accessRequest = await askAccess(node, handOff)
    const browser = await consenting(node, 'alice', accessRequest)
    const done = await browser.submit(accept)
    expect(done.text).toContain('The app now has access to the account alice. What it may do read “Journal”')
    const { body } = await pollOf(accessRequest)
    expect(body).toEqual({
      status: 'ACCEPTED',
      username: 'alice',
      apiEndpoint: `${node.url}alice/`,
      handoff: { type: 'shared-secret', key: expect.any(String) as string },
    })
    const { key } = body['handoff'] as { key: string }
    const back = /data-go/.test(done.html) ? (/href="(https:\/\/app\.example[^"]*)"/.exec(done.html)?.[1] ?? '') : ''
    expect([...new URL(back.replaceAll('&amp;', '&')).searchParams.keys()].sort()).toEqual(['prYvkey', 'prYvpoll', 'prYvstatus'])
    const [access] = (await accessesOf(node, 'alice', alice)).filter(({ name }) => name === APP)
    const token = access?.token ?? 'none'
    for (const text of [done.html, done.path, JSON.stringify([...done.headers]), node.logged.join('\n')]) {
      for (const secret of [token, key, key.split('.')[1] ?? key]) expect(text).not.toContain(secret)
    }
    const retrieve = (): ReturnType<typeof request> => request(`${node.url}alice/shared-secrets/retrieve`, { body: { key } })
    expect((await retrieve()).body['secret']).toEqual({ username: 'alice', token, apiEndpoint: node.url.replace('//', `//${token}@`) + 'alice/' })
    expect((await retrieve()).status).toBe(403)
    // The page can be opened again.
    expect((await browser.open(accessRequest.authUrl)).text).toContain('The app now has access to the account alice.')
  })

  it('is returned directly if a delegate acts for the account', async () => {
    await attach(node, { username: 'bobby', token: bobby }, { username: 'alice', token: alice })
    const accessRequest = await askAccess(node, { ...handOff, actAs: 'bobby' })
    const browser = await consenting(node, 'alice', accessRequest)
    await browser.submit({ do: 'choose', for: 'bobby' })
    expect((await browser.submit(accept)).text).toContain('The app now has access to the account bobby.')
    const { body } = await pollOf(accessRequest)
    expect(body).toMatchObject({ status: 'ACCEPTED', username: 'bobby', token: expect.any(String) as string, delegation: { isDelegatedAccess: true } })
    expect(body).not.toHaveProperty('handoff')
  })
})
