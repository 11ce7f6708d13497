/** `GET /openapi.json`: the document is sound, and tells of every method. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methods } from '../../../src/server/methods.js'
import { failures } from '../../../src/store/model/failure.js'
import { request, startTestNode, type TestNode } from '../../support/node.js'
import { ssoOn } from '../../support/sso.js'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: object
  responses: Record<string, object>
  security?: object[]
}

describe('openapi.json', () => {
  let node: TestNode
  let document: { openapi: string; servers: { url: string }[]; paths: Record<string, Record<string, Operation>> }
  let headers: Headers
  beforeAll(async () => {
    node = await startTestNode({ 'dnsLess.publicUrl': 'https://node.example/', ...ssoOn })
    const answer = await request(`${node.url}openapi.json`)
    headers = answer.headers
    document = answer.body as unknown as typeof document
  })
  afterAll(() => node.stop())

  const operations = (): [string, string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]): [string, string, Operation] => [path, verb, operation]),
    )

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(validator.version).toBe('3.1')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('lists every method at its path, and nothing else', () => {
    const expected = methods.map((method) => {
      const { verb, path } = method.http
      const shown = (method.scope === 'platform' ? path : `/:username${path.replace(':username', ':otherUsername')}`)
      return `${verb.toLowerCase()} ${shown.replace(/:(\w+)/g, '{$1}')}`
    })
    const listed = operations().map(([path, verb]) => `${verb} ${path}`)
    expect(listed.sort()).toEqual([...new Set(expected)].sort())
    expect(new Set(expected).size).toBe(expected.length)
  })

  it('gives every operation an id of its own and all parameters of its path', () => {
    const ids = operations().map(([, , { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [path, , { parameters }] of operations()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named)
      const places = parameters.map((one) => `${one.in} ${one.name}`)
      expect(new Set(places).size).toBe(places.length)
    }
  })

  it('tells of parameters, bodies, statuses and tokens', () => {
    const at = (path: string, verb: string): Operation | undefined => document.paths[path]?.[verb]
    expect(at('/{username}/streams', 'get')?.parameters.map(({ name }) => name)).toEqual([
      'username',
      'parentId',
      'id',
      'state',
      'includeDeletionsSince',
    ])
    expect(at('/{username}/streams', 'post')).toMatchObject({
      operationId: 'streams.create',
      requestBody: { content: { 'application/json': { schema: { required: ['name'] } } } },
      responses: { 201: {}, 400: {}, 401: {}, 403: {}, 409: {} },
    })
    expect(at('/{username}/streams', 'post')?.security?.length).toBeGreaterThan(0)
    expect(at('/{username}/auth/login', 'post')).not.toHaveProperty('security')
    expect(at('/reg/{username}/server', 'get')?.responses).toHaveProperty('302')
    expect(document.servers).toEqual([{ url: 'https://node.example' }])
  })

  it('knows every failure', () => {
    const text = JSON.stringify(document)
    for (const id of Object.keys(failures)) expect(text).toContain(`"${id}"`)
  })

  it('is that of the node that is asked', async () => {
    const other = await startTestNode({ 'service.name': 'Other node' })
    const { body } = await request(`${other.url}openapi.json`)
    await other.stop()
    expect(body).toMatchObject({ info: { title: 'Other node' }, servers: [{ url: other.url.slice(0, -1) }] })
  })
})
