/** `GET /openapi.json`: the OpenAPI document of a node. */
import * as z from 'zod'
import { anybody } from '../call/callers.js'
import { platformMethod, type PlatformMethod, type PlatformCall, type Method } from '../call/method.js'
import type { Context } from '../call/context.js'
import { RawJson } from '../call/results.js'
import type { MetaDeps } from '../call/meta.js'

/** Returns the method over a list of methods. The document is built on the first call, to save memory. */
export function openApi(methods: () => readonly Method[]): PlatformMethod<MetaDeps> {
  const documents = new WeakMap<Context, Record<string, RawJson>>()
  return platformMethod({
    id: 'openapi',
    summary: 'Describes this interface as an OpenAPI 3.1 document.',
    http: { verb: 'GET', path: '/openapi.json', withoutMeta: true },
    caller: anybody,
    input: z.unknown(),
    output: () => z.looseObject({
      openapi: z.string().describe('Version of OpenAPI.'),
      info: z.record(z.string(), z.unknown()).describe('Name of the service and version of its interface.'),
      paths: z.record(z.string(), z.unknown()).describe('Operations by path and verb.'),
    }),
    fails: [],
    async run({ node }: PlatformCall<MetaDeps>) {
      let document = documents.get(node)
      if (document === undefined) {
        const { openApiDocument } = await import('./reference/openApiDocument.js')
        const members = Object.entries(openApiDocument(methods(), node))
        document = Object.fromEntries(members.map(([key, value]) => [key, new RawJson(JSON.stringify(value))]))
        documents.set(node, document)
      }
      return document
    },
  })
}
