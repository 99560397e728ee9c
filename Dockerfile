# The gateway in a container: no compiler, no package manager's cache, no root. Everything it writes is below /data.
# compose.yaml runs it with a read-only root filesystem and without capabilities (docs/operations.md).
#
# The same commit gives the same files: the base image is pinned, Debian's packages are those of the day it was made, npm's those
# of the lock file. For the same bytes: docker build --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) with the output option
# rewrite-timestamp=true. Debian's newest packages: --build-arg DEBIAN=newest.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS base

FROM base AS build
ARG SOURCE_DATE_EPOCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/node/package.json deploy/node/
RUN npm ci --ignore-scripts
COPY . .
# The commit that the version names; there is no git here to ask.
ARG VIBER_COMMIT=
RUN npm run build

FROM base AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/node/package.json deploy/node/
# The build takes libraries into the program; what it cannot take in is installed here.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --cache /tmp/npm && mkdir -p node_modules && rm -rf /tmp/npm

FROM base
ARG DEBIAN=pinned
ARG SOURCE_DATE_EPOCH
# bubblewrap runs scripts apart from everything else, git fetches skills and commits, python3 runs most scripts of skills.
# In its list of sources the base image names the archive of its day.
RUN if [ "$DEBIAN" = pinned ]; then \
      find /etc/apt/sources.list.d -name '*.sources' -exec sed -i '/^# http.*snapshot/ { N; s/^# \(.*\)\n.*/URIs: \1/ }' {} +; \
    fi \
    && apt-get -o Acquire::Check-Valid-Until=false -o Acquire::Retries=5 update \
    && apt-get -o Acquire::Retries=5 install -y --no-install-recommends bubblewrap ca-certificates git python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/aux-cache /var/log/*.log /var/log/apt
# Node trusts what the system trusts, as git does.
ENV NODE_ENV=production NODE_USE_SYSTEM_CA=1 OPENVIBER_HOME=/data OPENVIBER_COMMAND="docker exec -it viber viber"
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN chmod 0755 dist/main.js && ln -s /app/dist/main.js /usr/local/bin/viber && install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 6009
# Asks the gateway itself, on the default port.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:6009/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["viber"]
CMD ["start"]
