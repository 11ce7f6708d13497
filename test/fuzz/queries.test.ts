/** Odd query strings and forms: a valid response for each. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { expectFitting, expectServing } from './expect.js'

const { home } = homes()
let places: HomePlaces
let node: TestNode
let token: string

beforeAll(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
  token = await registerUser(node, 'alice')
  await ask('POST', 'streams', '{"id":"a","name":"A"}', 'application/json')
  await ask('POST', 'events', '{"streamIds":["a"],"type":"note/txt","content":"x","time":5}', 'application/json')
})

afterAll(async () => {
  await node.stop()
  await expectSound(places)
})

async function ask(method: string, path: string, body?: string, type?: string): Promise<number> {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
  const isForm = type?.includes('form') === true
  if (!isForm) headers['authorization'] = token
  const response = await fetch(`${node.url}alice/${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  expectFitting([method, path, body], response.status, await response.text(), response.headers.get('api-version'))
  return response.status
}

const queries = [
  '',
  '=',
  '&',
  '&&&===&&&',
  '?',
  '%',
  '%zz=1',
  '%00=%00',
  '%ff=%fe',
  '__proto__=1',
  '__proto__[x]=1',
  'constructor[prototype][x]=1',
  'toString=1&hasOwnProperty=1&valueOf=1',
  'a[]=1&a[b]=2&a=3',
  '[]=1',
  '[=1',
  ']=1',
  'streams[=a',
  'streams]=a',
  'streams=a&streams=b&streams[]=c&streams[x]=d',
  'streams[]=',
  'streams[0]=a',
  'streams[any]=a',
  'streams[0][any][0]=a&streams[0][any]=b&streams[0]=c',
  'streams[999]=a&streams[1000]=b',
  'streams[0][__proto__][any]=a&streams[__proto__][0]=b',
  `streams${'[0]'.repeat(5000)}=a`,
  Array.from({ length: 1500 }, (_, i) => `streams[${i}]=s${i}`).join('&'),
  Array.from({ length: 1500 }, (_, i) => `types[${'[]'.repeat(i % 9)}x]=s`).join('&'),
  'streams={',
  'streams={}',
  'streams=[]',
  'streams=null',
  'streams=[null]',
  'streams={"any":null}',
  'streams={"any":["a"],"__proto__":{"all":["b"]}}',
  `streams=${encodeURIComponent('['.repeat(5000))}`,
  `streams=${encodeURIComponent(`${'{"any":'.repeat(60)}["a"]${'}'.repeat(60)}`)}`,
  `streams=${encodeURIComponent(JSON.stringify(Array.from({ length: 1500 }, (_, i) => ({ any: [`s${i}`] }))))}`,
  `content=${encodeURIComponent('[{"path":"__proto__.x","gte":1}]')}`,
  `content=${encodeURIComponent('[{"path":"","eq":null}]')}`,
  `content=${encodeURIComponent(`[{"path":"${'a.'.repeat(3000)}","exists":true}]`)}`,
  'content=[{}]',
  'content=1e400',
  'clientData=[{"path":5}]',
  'types=a&types=*/*&types=/&types=a/*/b',
  'types[]=**',
  'limit=-1',
  'limit=0',
  'limit=1.5',
  'limit=1e999',
  'limit=Infinity',
  'limit=0x10',
  'limit=%20%205',
  'limit=',
  'limit=5&limit=6',
  'limit=100001',
  'skip=99999999999999999999',
  'fromTime=1e308&toTime=-1e308',
  'fromTime=NaN',
  'fromTime=-Infinity',
  'fromTime=1,5',
  'toTime=9007199254740993',
  'modifiedSince=-1e308&includeDeletions=true',
  'includeDeletionsSince=-1e308',
  'state=ALL',
  'state=all&state=trashed',
  'sortAscending=TRUE&running=False',
  'sortAscending=yes',
  'auth=',
  'auth=a&auth=b',
  'auth[]=a',
  'id=..&parentId=..',
  'id=%2F',
  'parentId=*',
  'id=:_system:account&state=all',
  'mergeEventsWithParent=maybe',
  `${'a'.repeat(20_000)}=1`,
  Array.from({ length: 3000 }, (_, i) => `k${i}=1`).join('&'),
  Array.from({ length: 3000 }, () => 'streams=a').join('&'),
]

describe('an odd query', () => {
  it.each([
    ['GET', 'events'],
    ['GET', 'streams'],
    ['GET', 'events/c000000000000000000000009'],
    ['GET', 'access-info'],
    ['DELETE', 'events/c000000000000000000000009'],
    ['DELETE', 'streams/none'],
    ['POST', 'events'],
  ])('of %s %s', async (method, path) => {
    for (const query of queries) await ask(method, `${path}?${query}`)
    await expectServing(node, path)
  })
})

const FORM = 'application/x-www-form-urlencoded'
const forms = [
  '',
  '=',
  '&&&',
  '%',
  '%zz',
  '_method',
  '_method=',
  '_method=get',
  '_method=GET&_method=DELETE',
  '_method=BREW',
  '_method=__proto__',
  '_method=%00',
  `_method=${'A'.repeat(10_000)}`,
  '_json=',
  '_json={',
  '_json=null',
  '_json=[]',
  '_json=1',
  '_json="a"',
  '_json={}&_json=[]',
  '_json={"__proto__":{"id":"x"}}',
  `_json=${'['.repeat(100_000)}`,
  '_json=%ff%fe',
  '_json={"_json":"{}"}',
  '_auth=',
  '_auth=__proto__',
  '_auth=a%20b%20c',
  '_auth=%00',
  '__proto__=1&constructor=2',
  'id=a&name=b&id=c',
  'streamIds[]=a&type=note/txt',
  `${'k=1&'.repeat(50_000)}`,
]

describe('an odd form', () => {
  it.each([['events'], ['streams'], [''], ['events/c000000000000000000000009'], ['auth/login'], ['auth/logout']])(
    'to "%s"',
    async (path) => {
      for (const type of [FORM, `${FORM}; charset=utf-16`]) {
        for (const form of forms) {
          await ask('POST', path, form, type)
          await ask('POST', path, `_auth=${token}&${form}`, type)
        }
      }
      await expectServing(node, path)
    },
  )
})
