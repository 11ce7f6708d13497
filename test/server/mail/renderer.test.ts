/** Sandbox of mail templates: language features, refused access to the system, and limits. */
import { afterAll, describe, expect, it } from 'vitest'
import { createRenderer, TemplateWrong } from '../../../src/server/mail/renderer.js'

const renderer = createRenderer()
afterAll(() => renderer.stop())

const render = async (source: string, values: Record<string, string> = {}): Promise<string> =>
  (await renderer.render([source], values))[0] ?? ''

/** Renders an invalid template; returns the failure message. */
async function failureOf(source: string, values: Record<string, string> = {}): Promise<string> {
  const error: unknown = await render(source, values).catch((thrown: unknown) => thrown)
  expect(error, source).toBeInstanceOf(TemplateWrong)
  return (error as Error).message
}

describe('a template', () => {
  it('fills in values, escaped', async () => {
    expect(await render('p Hi #{USERNAME}', { USERNAME: '<script>"&' })).toBe('<p>Hi &lt;script&gt;&quot;&amp;</p>')
    expect(await render('a(href=LINK) x', { LINK: '" onclick="' })).toBe('<a href="&quot; onclick=&quot;">x</a>')
  })

  it('has conditions, loops, mixins and the language', async () => {
    const source = [
      'mixin item(x)',
      '  li= x.toUpperCase()',
      "- const all = LIST.split(',')",
      'ul',
      '  each one in all',
      '    +item(one)',
      'if all.length > 1',
      '  p= Math.max(1, 2) + parseInt("3") + JSON.stringify({a: 1})',
    ].join('\n')
    expect(await render(source, { LIST: 'a,b' })).toBe('<ul><li>A</li><li>B</li></ul><p>5{&quot;a&quot;:1}</p>')
  })

  it('omits missing values, and may contain the word import in its text', async () => {
    expect(await render('p import #{NOTHING}.')).toBe('<p>import .</p>')
  })

  it('preserves no state between renderings', async () => {
    expect(await render('- globalThis.kept = 1; Object.prototype.odd = 2\np ok')).toBe('<p>ok</p>')
    expect(await render('p= typeof kept + ({}).odd')).toBe('<p>undefinedundefined</p>')
  })
})

describe('an invalid template', () => {
  it.each([
    ['p(', 'line 1: '],
    ['p ok\n\n  +', 'line 3: '],
    ['- const = 1', ''],
    ['p= missing.member', 'Cannot read properties of undefined'],
    ["- throw 'plain text'", 'plain text'],
    ['- throw null', 'null'],
    ["- throw { get message() { throw 1 } }", 'it failed'],
  ])('is refused with the reason: %j', async (source, reason) => expect(await failureOf(source)).toContain(reason))
})

describe('a template cannot', () => {
  it.each([
    ['include a file', 'include /etc/hostname'],
    ['include a file by relative path', 'include ./package.json'],
    ['extend a file', 'extends /etc/hostname'],
    ['use a filter', ':markdown-it\n  # x'],
    ['use a filter on a file', 'include:markdown-it /etc/hostname'],
    ['import', "- import('node:fs').then(() => {})"],
    ['import in an attribute', "p(title=import('node:fs'))"],
    ['import in an interpolation', "p #{import('node:fs')}"],
    ['import in a loop', "each x in import('node:fs')\n  p"],
    ['import in a call', "mixin m(x)\n  p\n+m(import('node:fs'))"],
    ['import in a mixin', "mixin m(x = import('node:fs'))\n  p\n+m"],
    ['import in attributes', "p&attributes(import('node:fs'))"],
    ['import in an inner tag', "p #[b(title=import('node:fs'))]"],
    ['import in a condition', "if import('node:fs')\n  p"],
    ['import in a case', "case import('node:fs')\n  default\n    p"],
    ['import in a tag name', "#{import('node:fs')}"],
    ['require', "p= require('fs').readFileSync('/etc/hostname')"],
    ['see the process', 'p= process.env.HOME'],
    ['compile code with Function', "p= Function('return process')()"],
    ['compile code with a constructor', "p= (() => {}).constructor('return this')()"],
    ['compile code with the constructor of a value', "p= USERNAME.constructor.constructor('return process')()"],
    ['compile code of async functions', "p= (async () => {}).constructor('return process')()"],
    ['eval', "p= eval('1')"],
    ['send requests', "p= fetch('http://127.0.0.1')"],
    ['set timers', 'p= setTimeout(() => {}, 1)'],
    ['allocate memory outside of the heap', 'p= new ArrayBuffer(8)'],
    ['compile WebAssembly', 'p= new WebAssembly.Module()'],
  ])('%s', async (_, source) => {
    const reason = /is not available|is not defined|not a (function|constructor)|Code generation|undefined|Unexpected token/
    expect(await failureOf(source, { USERNAME: 'ana' })).toMatch(reason)
  })

  it('access globals of the worker', async () => {
    const names = await render('p= Object.getOwnPropertyNames(globalThis).join()')
    for (const name of ['process', 'require', 'Buffer', 'console', 'json', 'ArrayBuffer', 'Promise', 'Reflect']) {
      expect(names.split(/[,<>]/), name).not.toContain(name)
    }
    expect(await render("p= typeof this + typeof arguments[0]")).not.toContain('require')
  })

  it('compile code with the constructor of an error', async () => {
    const source = [
      '- let found = "nothing"',
      '- try { (function f() { f() })() } catch (e) { try { found = e.constructor.constructor("return process")().version } catch (x) { found = "refused" } }',
      'p= found',
    ].join('\n')
    expect(await render(source)).toBe('<p>refused</p>')
  })
})

describe('the limits', () => {
  it.each([
    ['an endless loop', '- while (true) {}', 'seconds'],
    ['an endless loop of tags', 'while true\n  p x', ''],
    ['an output of 100 MB', "p!= 'x'.repeat(100 * 1000 * 1000)", 'characters'],
    ['endless allocation', '- const all = []; while (true) all.push(new Array(1000).fill(1.5))', ''],
    ['endless recursion', '- function f() { return f() + 1 }\np= f()', 'call stack'],
    ['an oversized source', `p ${'x'.repeat(300_000)}`, 'longer than'],
  ])('stop %s', async (_, source, reason) => {
    const quick = createRenderer({ limitMs: 1500 })
    try {
      const error: unknown = await quick.render([source], {}).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TemplateWrong)
      expect((error as Error).message).toContain(reason)
      // The next template is rendered.
      expect(await quick.render(['p ok'], {})).toEqual(['<p>ok</p>'])
    } finally {
      await quick.stop()
    }
  })

  it('apply to one template, not to queued ones', async () => {
    const slow = render('- while (true) {}').catch((error: unknown) => String(error))
    const next = render('p next')
    expect(await slow).toContain('seconds')
    expect(await next).toBe('<p>next</p>')
  })

  it('do not affect the next template when the worker fails', async () => {
    for (let i = 0; i < 5; i++) {
      await failureOf("p!= 'x'.repeat(1e8)")
      expect(await render('p after')).toBe('<p>after</p>')
    }
  })

  it('stop an idle worker, which is started again when needed', async () => {
    const brief = createRenderer({ idleMs: 1 })
    expect(await brief.render(['p a'], {})).toEqual(['<p>a</p>'])
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await brief.render(['p b'], {})).toEqual(['<p>b</p>'])
    await brief.stop()
    await expect(brief.render(['p c'], {})).rejects.toThrow('stopping')
  })
})
