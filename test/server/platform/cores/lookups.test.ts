/** Look-ups of accounts of other cores. */
import { beforeAll, describe, expect, it } from 'vitest'
import { withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'

describe.each(['hashed', 'clear'] as const)('with %s names, any core', (piiMode) => {
  const cores = withCores({ 'core-a': {}, 'core-b': {} }, { piiMode })
  const b = (): TestNode => cores().node('core-b')
  const ask = (path: string, method = 'GET'): Promise<Answer> =>
    fetch(cores().node('core-a').url + path, { method, redirect: 'manual' }).then(async (response) => {
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
    })

  beforeAll(() => makeAccount(b(), 'bobby'))

  it('finds the core of a user name, and of an e-mail address', async () => {
    for (const query of ['username=bobby', 'username=BOBBY', 'email=bobby@example.org', 'email=Bobby@Example.org']) {
      expect((await ask(`reg/cores?${query}`)).body['core'], query).toEqual({ url: b().url })
    }
  })

  it('reveals nothing of an unknown address', async () => {
    expect((await ask('reg/cores?email=nobody@example.org')).body['core']).toEqual({ url: cores().node('core-a').url })
    expect((await ask('reg/cores?username=nobody')).status).toBe(404)
    expect((await ask('reg/cores')).status).toBe(400)
    expect((await ask('reg/cores?username=bobby&email=bobby@example.org')).status).toBe(400)
  })

  it('names the server of an account, and redirects to it', async () => {
    expect((await ask('reg/bobby/server', 'POST')).body).toMatchObject({ server: b().url, alias: 'bobby' })
    const redirect = await ask('reg/bobby/server')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, `${b().url}?username=bobby`])
    expect((await ask('reg/nobody/server')).body).toMatchObject({ error: { id: 'unknown-user' } })
  })

  it('knows which names are in use', async () => {
    expect((await ask('reg/bobby/check_username')).body).toMatchObject({ reserved: true })
    expect((await ask('reg/bobby@example.org/check_email')).body).toMatchObject({ exists: true })
  })

  it.each(['username', 'uid'])('leads from an e-mail address to the %s', async (route) => {
    const { status, headers, body } = await ask(`reg/bobby@example.org/${route}`)
    if (piiMode === 'clear') expect({ status, body }).toMatchObject({ status: 200, body: { [route]: 'bobby' } })
    else {
      expect({ status, body, location: headers.get('location') }).toMatchObject({
        status: 307,
        body: { server: b().url },
        location: `${b().url}reg/bobby%40example.org/${route}`,
      })
      expect((await request(headers.get('location') ?? '')).body).toMatchObject({ [route]: 'bobby' })
    }
    expect((await ask(`reg/nobody@example.org/${route}`)).status).toBe(404)
  })
})
