/** The OpenAPI 3.1 document: a projection of the list of methods. */
import * as z from 'zod'
import { failures } from '../store/model/failure.js'
import { apiTemplate } from './apiEndpoint.js'
import { statusOfId } from './http/status.js'
import { isOn, platformMethod, type Method, type PlatformMethod } from './method.js'
import type { Node } from './node.js'
import { parameterWords } from './parameterWords.js'
import type { Protocol } from './protocol.js'
import { RawJson } from './results.js'

type Json = Record<string, unknown>

const Meta = {
  type: 'object',
  required: ['apiVersion', 'serverTime', 'serial'],
  properties: { apiVersion: { type: 'string' }, serverTime: { type: 'number' }, serial: { type: 'string' } },
}

const ErrorBody = {
  type: 'object',
  required: ['error', 'meta'],
  properties: {
    error: {
      type: 'object',
      required: ['id', 'message'],
      properties: { id: { type: 'string', enum: Object.keys(failures) }, message: { type: 'string' }, data: {} },
    },
    meta: { $ref: '#/components/schemas/Meta' },
  },
}

/** `GET /openapi.json` over a list of methods. */
export function openApi(methods: () => readonly Method[]): PlatformMethod {
  const documents = new WeakMap<Node, Record<string, RawJson>>()
  return platformMethod({
    id: 'openapi',
    summary: 'This document.',
    http: { verb: 'GET', path: '/openapi.json' },
    input: z.unknown(),
    output: z.record(z.string(), z.unknown()),
    document: true,
    fails: [],
    run({ node }) {
      let document = documents.get(node)
      if (document === undefined) {
        const members = Object.entries(openApiDocument(methods(), node))
        document = Object.fromEntries(members.map(([key, value]) => [key, new RawJson(JSON.stringify(value))]))
        documents.set(node, document)
      }
      return document
    },
  })
}

/** The document itself. */
export function openApiDocument(methods: readonly Method[], node: Pick<Node, 'apiVersion' | 'config' | 'publicBase'>): Json {
  const paths: Record<string, Json> = {}
  for (const method of methods.filter((one) => isOn(node, one))) {
    const path = routeOf(method)
    paths[path] ??= {}
    const { verb } = method.http
    paths[path][verb.toLowerCase()] ??= operation(method, path)
  }
  return {
    openapi: '3.1.0',
    info: { title: node.config.get('service.name'), version: node.apiVersion },
    servers: [{ url: node.publicBase() }],
    'x-api': apiTemplate(node),
    paths,
    components: {
      schemas: { Meta, Error: ErrorBody },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The bare access token.' },
        adminKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The raw admin key.' },
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
        auth: { type: 'apiKey', in: 'query', name: 'auth' },
      },
    },
  }
}

/** A path of a method, from the root of the node. A path has each parameter once: the account comes first. */
export function routeOf(method: Method, path = method.http.path): string {
  if (method.scope === 'platform') return path.replace(/:(\w+)/g, '{$1}')
  return `/{username}${path.replace(/:username\b/g, '{otherUsername}').replace(/:(\w+)/g, '{$1}')}`
}

/** The JSON schema of parameters or results. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return json
}

function operation(method: Method, path: string): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const input = schemaOf(method.input, 'input')
  const properties = described(method, (input['properties'] ?? {}) as Record<string, Json>)
  const { verb } = method.http
  const readsBody = verb === 'POST' || verb === 'PUT'
  const parameters = inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const query = readsBody
    ? []
    : Object.entries(properties)
        .filter(([name]) => !inPath.includes(name) && name !== 'auth')
        .map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
  const whole = input['properties'] === undefined ? input : { ...input, properties }
  const body = method.body === undefined ? whole : (properties[method.body] ?? {})
  return {
    operationId: method.scope === 'platform' || path === method.http.path ? method.id : idOf(method),
    summary: method.summary,
    parameters: [...parameters, ...query, ...(method.byReadToken === true ? [READ_TOKEN] : [])],
    ...(readsBody ? { requestBody: { content: bodies(method, body) } } : {}),
    responses: protocolOf(method) === undefined ? { ...successes(method), ...refusals(method) } : answers(method),
    ...(method.admin !== undefined ? { security: [{ adminKey: [] }] } : {}),
    ...(method.scope === 'token' ? { security: [{ token: [] }, { bearer: [] }, { basic: [] }, { auth: [] }] } : {}),
  }
}

/** The schemas of parameters with what these mean, those of members of them too. */
function described(method: Method, properties: Record<string, Json>, within = ''): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]): [string, Json] => {
      const path = `${within}${name}`
      const description = schema['description'] ?? parameterWords(method.id, path)
      const own = schema['properties'] as Record<string, Json> | undefined
      const deeper = own === undefined ? {} : { properties: described(method, own, `${path}.`) }
      return [name, { ...schema, ...deeper, ...(description === undefined ? {} : { description }) }]
    }),
  )
}

/** Service info is served at two places: an operation has one id. */
const idOf = (method: Method): string => (method.id === 'service.info' ? 'service.info.ofAccount' : method.id)

const READ_TOKEN = {
  name: 'readToken',
  in: 'query',
  required: false,
  description: 'Of the file, in place of an access token.',
  schema: { type: 'string' },
}

function bodies(method: Method, schema: Json): Json {
  const files = { type: 'object', additionalProperties: { type: 'string', format: 'binary' } }
  return {
    'application/json': { schema },
    ...(protocolOf(method)?.form === true ? { 'application/x-www-form-urlencoded': { schema } } : {}),
    ...(method.takesFiles === undefined ? {} : { 'multipart/form-data': { schema: files } }),
  }
}

const protocolOf = (method: Method): Protocol | undefined => (method.scope === 'platform' ? method.protocol : undefined)

/** The answers of a method that speaks another protocol, refusals among them. */
function answers(method: Method): Json {
  return Object.fromEntries(
    Object.entries(protocolOf(method)?.answers ?? {}).map(([status, { description, type, schema }]): [string, Json] => {
      const content = { [type ?? '']: { schema: schema === undefined ? { type: 'string' } : schemaOf(schema, 'output') } }
      return [status, type === undefined ? { description } : { description, content }]
    }),
  )
}

/** The answers of a method that succeeds, by status. */
function successes(method: Method): Json {
  if (method.redirect !== undefined) return { 302: success(method) }
  if (typeof method.status === 'function') {
    return Object.fromEntries((method.statuses ?? [200, 302]).map((status) => [status, success(method)]))
  }
  return { [method.status ?? 200]: method.status === 204 ? { description: 'Done.' } : success(method) }
}

function success(method: Method): Json {
  if (method.answersFile === true) {
    return { description: 'The bytes of the file.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
  }
  if (method.plain !== undefined) {
    const type = method.plain === true ? 'text/plain' : method.plain
    return { description: 'Done.', content: { [type]: { schema: { type: 'string' } } } }
  }
  const schema = schemaOf(method.output, 'output')
  return {
    description: 'Done.',
    content: { 'application/json': { schema: method.document !== undefined ? schema : withMeta(schema) } },
  }
}

/** The schema of an answer from that of a result: the same object, with `meta` among its members. */
function withMeta(schema: Json): Json {
  const { anyOf, properties, required } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((branch: Json) => withMeta(branch)) }
  return {
    ...schema,
    properties: { ...(properties as Json | undefined), meta: { $ref: '#/components/schemas/Meta' } },
    required: [...((required as string[] | undefined) ?? []), 'meta'],
  }
}

const refusal = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

function refusals(method: Method): Json {
  const byStatus = new Map<number, string[]>()
  const always = method.scope === 'token' ? (['invalid-access-token', 'forbidden'] as const) : []
  const ofBody = method.http.verb === 'GET' || method.http.verb === 'DELETE' ? [] : (['unsupported-content-type'] as const)
  for (const id of new Set([...method.fails, ...always, ...ofBody])) {
    const status = statusOfId[id]
    byStatus.set(status, [...(byStatus.get(status) ?? []), id])
  }
  const known = [...byStatus].map(([status, ids]): [string, Json] => [String(status), refusal(ids.join(', '))])
  return { ...Object.fromEntries(known), default: refusal('Any other failure.') }
}
