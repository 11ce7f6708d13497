/** Tests of accounts without a name: listed by id, reported by `platform check`, and renamed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound } from '../../../support/store/check.js'
import { placesOf, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

describe.each(['without a node', 'with a running node'])('accounts without a name, %s', (where) => {
  let home: TestHome
  let node: TestNode | undefined
  beforeAll(async () => {
    home = await testHome('ana-lovelace', 'bob-builder')
    await home.json('streams create Diary --id diary --user ana-lovelace')
    if (where !== 'without a node') node = await startTestNode({}, { home: home.home })
  })
  afterAll(async () => {
    await node?.stop()
    await expectSound(placesOf(home.home))
    await home.remove()
  })
  const free = (username: string): Promise<unknown> => home.json(['api', 'system.unregisterUser', JSON.stringify({ username, onlyReg: true })])
  const unnamed = async (): Promise<{ id: string; username: string; unnamed: boolean }[]> =>
    (await home.json('users list --unnamed'))['users'] as { id: string; username: string; unnamed: boolean }[]

  it('do not exist at first', async () => {
    expect(await unnamed()).toEqual([])
    expect(await home.run('users list --unnamed -q')).toMatchObject({ code: 0, out: '' })
    expect(await home.json('platform check')).toMatchObject({ unnamed: [] })
  })

  it('are listed by id, with the command that names them', async () => {
    await free('ana-lovelace')
    const [one, ...more] = await unnamed()
    const id = String(one?.id)
    expect([one, more]).toEqual([expect.objectContaining({ id, username: id, unnamed: true }), []])
    expect((await home.run('users list --unnamed -q')).out).toBe(`${id}\n`)
    const { out, err } = await home.run('users list')
    expect(out).toContain('bob-builder')
    expect(out).toContain(id)
    expect(err).toContain(`coffer users rename ${id} new-name`)
  })

  it('are reported by platform check, without an error', async () => {
    const [{ id } = { id: '' }] = await unnamed()
    const { code, out, err } = await home.run('platform check')
    expect([code, out]).toEqual([0, `Account ${id} has no name\n`])
    expect(err).toContain(`coffer users rename ${id} new-name`)
    expect(await home.json('platform check')).toMatchObject({ unnamed: [id], checks: [{ errors: [] }, { errors: [] }] })
  })

  it('keep their data when named, and are listed again when the name is freed', async () => {
    const [{ id } = { id: '' }] = await unnamed()
    for (const name of ['ana-byron', 'ana-lovelace']) {
      expect((await home.run(`users rename ${id} ${name}`)).code).toBe(0)
      expect(await unnamed()).toEqual([])
      expect(await home.json('platform check')).toMatchObject({ unnamed: [], checks: [{ errors: [] }, { errors: [] }] })
      expect((await home.run(`streams tree --user ${name}`)).out).toContain('diary')
      expect((await home.run(`users set-email ${name} ${name}@example.net`)).code).toBe(0)
      await free(name)
      expect(await unnamed()).toMatchObject([{ id, username: id }])
    }
    expect((await home.run('users list -q')).out.split('\n').sort()).toEqual(['', 'bob-builder', id].sort())
    expect((await home.run(`users rename ${id} ana-lovelace`)).code).toBe(0)
  })
})
