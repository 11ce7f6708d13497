/**
 * Checks that the sources can be built: the version of Node.js and the installed packages. Prints what is wrong and the
 * next command. In the syntax of ECMAScript 5, so that a Node.js of any age runs it.
 */
'use strict'
var fs = require('fs')
var path = require('path')
var nodeProblem = require('../bin/nodeVersion.js').nodeProblem

var root = path.join(__dirname, '..')
var about = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))

function setupProblem() {
  var problem = nodeProblem(process.version, about.engines.node)
  if (problem !== undefined) return 'coffer ' + problem
  var names = Object.keys(about.dependencies).concat(Object.keys(about.devDependencies))
  var missing = names.filter(function (name) {
    return !fs.existsSync(path.join(root, 'node_modules', name, 'package.json'))
  })
  if (missing.length === 0) return undefined
  var more = missing.length === 1 ? '' : ' and ' + (missing.length - 1) + ' more'
  return 'Packages that coffer is built with are not installed: ' + missing[0] + more + '. Install them: npm ci'
}

var problem = setupProblem()
if (problem !== undefined) {
  console.error('✖ ' + problem)
  process.exitCode = 1
}
