/** `GET /openapi.json`: a valid document that describes every method completely. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methods } from '../../../src/server/api/methods.js'
import { failures, type FailureId } from '../../../src/store/model/failure.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ssoOn } from '../../support/people/sso.js'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: object
  responses: Record<string, object>
  security?: object[]
}

type Json = Record<string, unknown>

/** Returns the value at a path of members. */
function at(value: Json, ...path: string[]): Json {
  return path.reduce((inner, name) => inner[name] as Json, value)
}

/** Returns the paths in a document that lack a description. */
function undescribed(document: unknown): string[] {
  const missing: string[] = []
  const check = (value: Json, place: string): void => {
    if (typeof value['description'] !== 'string' || value['description'].length < 3) missing.push(place)
  }
  const walk = (value: unknown, place: string): void => {
    if (Array.isArray(value)) return value.forEach((item, index) => walk(item, `${place}[${index}]`))
    if (typeof value !== 'object' || value === null) return
    const own = value as Json
    if ('operationId' in own || 'in' in own) check(own, place)
    if ('operationId' in own && typeof own['summary'] !== 'string') missing.push(`${place} summary`)
    for (const [key, inner] of Object.entries(own)) {
      if (key === 'example' || key === 'enum' || key === 'const') continue
      if (['properties', 'responses', 'headers', 'securitySchemes'].includes(key)) {
        for (const [name, each] of Object.entries(inner as Json)) check(each as Json, `${place}.${name}`)
      }
      walk(inner, `${place}.${key}`)
    }
  }
  walk(document, '')
  return missing
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

  it('lists exactly the methods with their paths', () => {
    const expected = methods.map((method) => {
      const { verb, path } = method.http
      const fullPath = (method.scope === 'platform' ? path : `/:username${path.replace(':username', ':otherUsername')}`)
      return `${verb.toLowerCase()} ${fullPath.replace(/:(\w+)/g, '{$1}')}`
    })
    const listed = operations().map(([path, verb]) => `${verb} ${path}`)
    expect(listed.sort()).toEqual([...new Set(expected)].sort())
    expect(new Set(expected).size).toBe(expected.length)
  })

  it('gives every operation a unique id and the parameters of its path', () => {
    const ids = operations().map(([, , { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [path, , { parameters }] of operations()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named)
      const places = parameters.map((one) => `${one.in} ${one.name}`)
      expect(new Set(places).size).toBe(places.length)
    }
  })

  it('describes parameters, bodies, statuses and tokens', () => {
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
    expect(at('/{username}/account', 'get')).toMatchObject({ 'x-caller': 'personalOnly', description: 'Caller: Personal access.' })
    expect(at('/system/admin/cores', 'get')).toMatchObject({ 'x-caller': 'adminKey', security: [{ adminKey: [] }] })
    expect(at('/reg/{username}/server', 'get')?.responses).toHaveProperty('302')
    expect(document.servers).toEqual([{ url: 'https://node.example' }])
  })

  it('contains every failure, and its meaning for each method that returns it', () => {
    const text = JSON.stringify(document)
    for (const id of Object.keys(failures)) expect(text).toContain(`"${id}"`)
    for (const [path, verb, { responses }] of operations()) {
      for (const [status, { description }] of Object.entries(responses as Record<string, { description: string }>)) {
        const named = [...description.matchAll(/(?:^|\. )([A-Za-z_-]+): /g)].map((match) => match[1] ?? '')
        for (const id of named) expect(description, `${verb} ${path} ${status}`).toContain(`${id}: ${failures[id as FailureId]}`)
      }
    }
    expect(document.paths['/{username}/streams']?.['post']?.responses).toMatchObject({
      409: { description: 'item-already-exists: An item with the same identity already exists.' },
    })
  })

  it('describes every operation, parameter, property and response', () => {
    expect(undescribed(document)).toEqual([])
    // `undescribed` finds missing descriptions.
    const broken = structuredClone(document)
    const create = broken.paths['/{username}/streams']?.['post'] as unknown as Json
    delete create['description']
    delete at(create, 'requestBody', 'content', 'application/json', 'schema', 'properties', 'name')['description']
    delete at(create, 'responses', '201')['description']
    delete at(broken as unknown as Json, 'components', 'schemas', 'Event', 'properties', 'id')['description']
    expect(undescribed(broken)).toHaveLength(4)
  })

  it('contains no broken references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(references.length).toBeGreaterThan(100)
    for (const reference of references) expect(at(document as unknown as Json, ...reference.split('/')), reference).toBeDefined()
    const components = Object.keys(at(document as unknown as Json, 'components', 'schemas'))
    expect(components).toEqual(expect.arrayContaining(['Access', 'Event', 'Stream', 'Webhook']))
    for (const name of components) expect(references).toContain(`components/schemas/${name}`)
  })

  it('contains the name and address of its node', async () => {
    const other = await startTestNode({ 'service.name': 'Other node' })
    const { body } = await request(`${other.url}openapi.json`)
    await other.stop()
    expect(body).toMatchObject({ info: { title: 'Other node' }, servers: [{ url: other.url.slice(0, -1) }] })
  })
})
