import { Module } from '@nestjs/common';
import { VertexFactory } from './vertex.factory.js';

@Module({ providers: [VertexFactory] })
export class VertexModule {}
