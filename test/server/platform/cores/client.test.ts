/** The published client on a platform of several cores. */
import { describe, expect, it } from 'vitest'
import { APP, connect, createAccount, PASSWORD, releases, serviceOf } from '../../../support/http/pryvClient.js'
import { withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request } from '../../../support/nodes/node.js'

const cores = withCores({ 'core-a': {}, 'core-b': {} })

describe.each(releases)('$name', (release) => {
  const username = release.isEarlier ? 'early-carol' : 'carol'

  it('finds the core of an account by the look-up, and uses it', async () => {
    const [a, b] = ['core-a', 'core-b'].map((id) => cores().node(id))
    if (a === undefined || b === undefined) throw new Error('no cores')
    await makeAccount(b, username)
    const { register } = await serviceOf(a, release).info()
    const { body } = await request(`${String(register)}cores?username=${username}`)
    const { url } = body['core'] as { url: string }
    expect(url).toBe(b.url)
    const service = new release.library.Service(`${url}service/info`)
    const connection = (await service.login(username, PASSWORD, APP)) as unknown as ReturnType<typeof connect>
    const [created] = await connection.api([{ method: 'streams.create', params: { id: 'diary', name: 'Diary' } }])
    expect(created).toMatchObject({ stream: { id: 'diary' } })
    expect(connection.endpoint).toBe(`${b.url}${username}/`)
  })

  it('finds the core of its account when it calls another', async () => {
    const [a, b] = [cores().node('core-a'), cores().node('core-b')]
    const wrong = connect(`${a.url.replace('://', '://token@')}${username}/`, release)
    const answer: unknown = await wrong.get('events', {}).catch((error: { response?: { body?: unknown } }) => error.response?.body ?? error)
    expect(JSON.stringify(answer)).toContain(`"coreUrl":${JSON.stringify(b.url)}`)
  })
})

it('a client registers at any core', async () => {
  const a = cores().node('core-a')
  const { body } = await request(`${a.url}reg/hostings`)
  expect(JSON.stringify(body)).toContain('"default":{')
  await createAccount(serviceOf(a), 'daniel')
  expect(cores().platform.holderOf({ field: 'username', value: 'daniel' })).toBeDefined()
})
