# Builds the package of coffer, installs it, and runs the node as an unprivileged user. See compose.yaml and docs/operations.md.
ARG NODE_VERSION=20

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /src
# Packages change less often than sources: this step is cached.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp
RUN npm install --global --prefix /opt/coffer --omit=dev --no-audit --no-fund /tmp/coffer-*.tgz

FROM node:${NODE_VERSION}-slim
COPY --from=build /opt/coffer/ /usr/local/
RUN install --directory --owner=node --group=node --mode=0700 /data
# `container` lets coffer update name the commands of an image.
ENV COFFER_HOME=/data NODE_ENV=production container=docker
USER node
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["coffer", "wait", "--for", "ready", "--timeout", "5s"]
ENTRYPOINT ["coffer"]
CMD ["start", "--host", "0.0.0.0"]
