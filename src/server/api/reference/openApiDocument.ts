/** Generates the OpenAPI 3.1 document from the list of methods. */
import { failures, type FailureId } from '../../../store/model/failure.js'
import { apiTemplate, pageAddress } from '../../config/apiEndpoint.js'
import { statusOfId } from '../../base/status.js'
import { isOn, type Method } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { exampleOf } from './examples/examples.js'
import type { Example } from './examples/example.js'
import { examplePlacesOf } from './examplePlaces.js'
import { requestOf } from './exampleCall.js'
import { groupOf, groups } from './groups.js'
import { inputSchemaOf, routeOf, schemaOf } from './jsonSchema.js'
import { answersJson, callersOf, failuresOf, pathParametersOf, pathWords, protocolOf, resultSchemaOf } from './reference.js'
import { commonObjects, identityOf, type Schema } from './shape.js'
import type { MetaDeps } from '../../call/meta.js'

type Json = Record<string, unknown>

const Meta = {
  type: 'object',
  description: 'Metadata in every JSON response.',
  required: ['apiVersion', 'serverTime', 'serial'],
  properties: {
    apiVersion: { type: 'string', description: 'Version of the interface.' },
    serverTime: { type: 'number', description: 'Time of the node, in seconds since 1970.' },
    serial: { type: 'string', description: 'Changes when the service information changes.' },
  },
}

const META_REFERENCE = { $ref: '#/components/schemas/Meta', description: 'Version, time and serial of the node.' }

const META = { apiVersion: '2.0.0', serverTime: 1767225600.123, serial: '3f9a0c51d27be846' }

const ErrorBody = {
  type: 'object',
  description: 'Response to a refused call.',
  required: ['error', 'meta'],
  properties: {
    error: {
      type: 'object',
      description: 'Why the call was refused.',
      required: ['id', 'message'],
      properties: {
        id: { type: 'string', enum: Object.keys(failures), description: 'Id of the failure; programs compare this.' },
        message: { type: 'string', description: 'Explanation for people; the wording may change.' },
        data: { description: 'Details, such as the invalid parameters.' },
      },
    },
    meta: META_REFERENCE,
  },
}

/** Component names of schemas shared by several results, by their JSON. */
type Names = ReadonlyMap<string, string>

/** Builds the document of a node. */
export function openApiDocument(methods: readonly Method[], node: MetaDeps & Pick<Context, 'config' | 'publicBase'>): Json {
  const paths: Record<string, Json> = {}
  const enabled = methods.filter((one) => isOn(node, one))
  const names = commonObjects(enabled.filter(answersJson).map(resultSchemaOf))
  const places = examplePlacesOf(node)
  for (const method of enabled) {
    const path = routeOf(method)
    paths[path] ??= {}
    const { verb } = method.http
    paths[path][verb.toLowerCase()] ??= operation(method, path, { names, places })
  }
  const objects = [...names].map(([json, name]): [string, Json] => [name, membersNamed(JSON.parse(json) as Json, names)])
  const text = JSON.stringify([paths, objects])
  const referred = objects.filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
  return {
    openapi: '3.1.0',
    info: {
      title: node.config.get('service.name'),
      version: node.apiVersion,
      description: 'The interface of a personal data node.',
    },
    externalDocs: { description: 'The reference for people.', url: pageAddress(node, '/api') },
    servers: [{ url: node.publicBase() }],
    'x-api': apiTemplate(node),
    tags: groups.map(({ name, about }) => ({ name, description: `${about.charAt(0).toUpperCase()}${about.slice(1)}.` })),
    paths,
    components: {
      schemas: { Meta, Error: ErrorBody, ...Object.fromEntries(referred) },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The bare access token.' },
        adminKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The raw admin key: the setting auth.adminAccessKey.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The access token as bearer token.' },
        basic: { type: 'http', scheme: 'basic', description: 'The access token as user name; without a password.' },
        auth: { type: 'apiKey', in: 'query', name: 'auth', description: 'The access token in the query.' },
      },
    },
  }
}

interface DocumentContext {
  names: Names
  places: Parameters<typeof requestOf>[2]
}

function operation(method: Method, path: string, { names, places }: DocumentContext): Json {
  const input = inputSchemaOf(method)
  const properties = (input['properties'] ?? {}) as Record<string, Json>
  const { verb } = method.http
  const readsBody = verb === 'POST' || verb === 'PUT'
  const example = exampleOf(method.id)
  const group = groupOf(method.id)
  return {
    operationId: method.scope === 'platform' || path === method.http.path ? method.id : idOf(method),
    summary: method.summary,
    description: callersOf(method),
    'x-caller': method.caller.id,
    ...(group === undefined ? {} : { tags: [group.name] }),
    parameters: parametersIn(method, path, properties, example),
    ...(readsBody ? { requestBody: { description: 'The parameters.', content: bodies(method, bodyOf(method, input), example, places) } } : {}),
    responses: protocolOf(method) === undefined ? { ...successes(method, names, example), ...refusals(method) } : answers(method, example),
    ...(method.caller.credential === 'adminKey' ? { security: [{ adminKey: [] }] } : {}),
    ...(method.caller.credential === 'access' ? { security: [{ token: [] }, { bearer: [] }, { basic: [] }, { auth: [] }] } : {}),
  }
}

function parametersIn(method: Method, path: string, properties: Record<string, Json>, example: Example | undefined): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const own = pathParametersOf(method)
  const params = (Array.isArray(example?.params) ? {} : (example?.params ?? {})) as Json
  const parameters = inPath.map((name, at): Json => {
    const isAccount = method.scope !== 'platform' && at === 0
    const known = isAccount ? undefined : properties[name === 'otherUsername' ? 'username' : name]
    const value = isAccount ? 'ana-lovelace' : params[own[at - (method.scope === 'platform' ? 0 : 1)] ?? name]
    return { name, in: 'path', required: true, description: known?.['description'] ?? pathWords[name], schema: { type: 'string' }, ...exampleIn(value) }
  })
  if (method.http.verb === 'POST' || method.http.verb === 'PUT') return parameters
  const query = Object.entries(properties)
    .filter(([name]) => !own.includes(name) && name !== 'auth')
    .map(([name, { description, ...schema }]): Json => ({ name, in: 'query', required: false, description, schema, ...exampleIn(params[name]) }))
  return [...parameters, ...query, ...(method.http.byReadToken === true ? [READ_TOKEN] : [])]
}

const exampleIn = (value: unknown): Json => (value === undefined ? {} : { example: value })

/** Returns the operation id. Service info is served at two routes, which need different ids. */
const idOf = (method: Method): string => (method.id === 'service.info' ? 'service.info.ofAccount' : method.id)

const READ_TOKEN = {
  name: 'readToken',
  in: 'query',
  required: false,
  description: 'Read token of the file, in place of an access token.',
  schema: { type: 'string' },
}

/** Returns the schema of a body, without path parameters. */
function bodyOf(method: Method, input: Schema): Schema {
  const properties = input['properties'] as Record<string, Schema> | undefined
  if (properties === undefined) return input
  if (method.http.body !== undefined) return properties[method.http.body] ?? {}
  return input
}

function bodies(method: Method, schema: Schema, example: Example | undefined, places: DocumentContext['places']): Json {
  const files = { type: 'object', additionalProperties: { type: 'string', format: 'binary', description: 'A file.' } }
  const body = example === undefined || example.file !== undefined ? undefined : requestOf(method, example, places).body
  return {
    'application/json': { schema, ...exampleIn(body) },
    ...(protocolOf(method)?.form === true ? { 'application/x-www-form-urlencoded': { schema, ...exampleIn(body) } } : {}),
    ...(method.takesFiles === undefined ? {} : { 'multipart/form-data': { schema: files } }),
  }
}

/** Returns the responses of a method with its own protocol, failures included. */
function answers(method: Method, example: Example | undefined): Json {
  return Object.fromEntries(
    Object.entries(protocolOf(method)?.answers ?? {}).map(([status, { description, type, schema }]): [string, Json] => {
      const examplePart = Number(status) < 300 ? exampleIn(example?.answer) : {}
      const header = Number(status) === 302 ? { headers: { Location: locationOf(example) } } : {}
      const content = { [type ?? '']: { schema: schema === undefined ? { type: 'string' } : schemaOf(schema, 'output'), ...examplePart } }
      return [status, type === undefined ? { description, ...header } : { description, content }]
    }),
  )
}

const locationOf = (example: Example | undefined): Json => ({
  description: 'The address to continue at.',
  schema: { type: 'string' },
  ...exampleIn(example?.location),
})

/** Returns the success responses of a method, by status. */
function successes(method: Method, names: Names, example: Example | undefined): Json {
  if (method.http.redirect !== undefined) return { 302: success(method, 302, names, example) }
  if (typeof method.http.status === 'function') {
    const usual = example?.status ?? 200
    return Object.fromEntries(
      (method.http.statuses ?? [200, 302]).map((status) => [status, success(method, status, names, status === usual ? example : undefined)]),
    )
  }
  const status = method.http.status ?? 200
  return { [status]: success(method, status, names, example) }
}

const meanings: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created, or waiting.',
  204: 'Success; without a body.',
  302: 'A second step follows, or a redirect.',
  403: 'Refused by the person who was asked.',
}

function success(method: Method, status: number, names: Names, example: Example | undefined): Json {
  const description = meanings[status] ?? 'Success.'
  if (status === 204) return { description }
  if (method.http.sendsFile === true) {
    return { description: 'The bytes of the file.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
  }
  if (method.http.rawText !== undefined) {
    const type = method.http.rawText === true ? 'text/plain' : method.http.rawText
    return { description: 'Text.', content: { [type]: { schema: { type: 'string' }, ...exampleIn(example?.text) } } }
  }
  const schema = membersNamed(resultSchemaOf(method), names)
  const isBare = method.http.withoutMeta !== undefined
  const answer = example?.answer === undefined ? undefined : isBare ? example.answer : { ...example.answer, meta: META }
  return { description, content: { 'application/json': { schema: isBare ? schema : withMeta(schema), ...exampleIn(answer) } } }
}

/** Adds `meta` to the schema of a result. */
function withMeta(schema: Json): Json {
  const { anyOf, properties, required } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((branch: Json) => withMeta(branch)) }
  return {
    ...schema,
    properties: { ...(properties as Json | undefined), meta: META_REFERENCE },
    required: [...((required as string[] | undefined) ?? []), 'meta'],
  }
}

/** Replaces named schemas within a schema by references. */
function membersNamed(schema: Json, names: Names): Json {
  return Object.fromEntries(Object.entries(schema).map(([key, value]): [string, unknown] => [key, namedIn(key, value, names)]))
}

function namedIn(key: string, value: unknown, names: Names): unknown {
  if (key === 'properties') return Object.fromEntries(Object.entries(value as Json).map(([name, member]) => [name, named(member as Json, names)]))
  if (key === 'items') return named(value as Json, names)
  if (key === 'anyOf') return (value as Json[]).map((each) => membersNamed(each, names))
  return value
}

function named(schema: Json, names: Names): Json {
  const name = names.get(identityOf(schema))
  if (name === undefined) return membersNamed(schema, names)
  const { description } = schema
  return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) }
}

const refusal = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

function refusals(method: Method): Json {
  const byStatus = new Map<number, FailureId[]>()
  for (const { id } of failuresOf(method)) byStatus.set(statusOfId[id], [...(byStatus.get(statusOfId[id]) ?? []), id])
  const known = [...byStatus].map(([status, ids]): [string, Json] => [String(status), refusal(ids.map((id) => `${id}: ${failures[id]}`).join(' '))])
  return { ...Object.fromEntries(known), default: refusal('Any other failure.') }
}
