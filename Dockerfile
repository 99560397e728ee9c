# The gateway in a container: no compiler, no package manager's cache, no root. Everything it writes is below /data.
# docs/operations.md has the command that runs it with a read-only root filesystem and without capabilities.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The build takes libraries into the program; what it cannot take in is installed here.
RUN npm ci --omit=dev && mkdir -p node_modules && npm cache clean --force

FROM node:24-slim
# git for the skill that commits, bubblewrap to run scripts apart from everything else.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap git && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production OPENVIBER_HOME=/data OPENVIBER_COMMAND="docker exec viber node /app/dist/main.js"
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 6009
# Asks the gateway itself, on the default port.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:6009/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["start"]
