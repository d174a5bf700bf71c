/** Plants, soil, and the small animals that come with them. */
export const garden = `
Q: When should I plant tomatoes?
A: Sow them indoors at the end of winter and put the young plants outside when the nights stay above ten degrees. In most places with cold winters that is the second half of May. Plant them deep, up to the first leaves, because the buried stem grows roots of its own.
---
Q: How often should I water my plants?
A: Less often than you think, but more at a time. Push a finger into the soil as far as the second joint. If it is dry down there, give enough water for the soil to be wet a hand deep. A little every day only wets the surface, and the roots stay where the water is and suffer in the first hot week.
---
Q: What is compost?
A: Compost is what is left when plants rot with enough air and water. It is dark, it smells of forest, and it gives the soil both food and a good structure. You make it from kitchen scraps, grass, leaves and thin twigs, and from time.
---
Q: How do I make good compost?
A: Mix green things with brown things. The green ones, such as grass and vegetable peel, bring nitrogen; the brown ones, such as dry leaves and straw, bring carbon and let the air in. Keep the heap as damp as a sponge that has been wrung out, and turn it over every month. If it smells bad it is too wet, so add straw. If nothing happens it is too dry, so add water.
---
Q: Why are the leaves of my plant turning yellow?
A: There are several reasons, and where the yellow begins tells you which. If the old leaves at the bottom go first, the plant is short of nitrogen or simply too wet. If the young leaves at the top are pale with green veins, it cannot take up iron, often because the water is too hard. If the whole plant is limp as well, look at the roots: brown and soft means that they are drowning.
---
Q: How do I get rid of slugs?
A: Go out at dusk with a lamp and pick them up; it is not pleasant, but nothing works better. Water in the morning instead of the evening, so that the ground is dry when they come out. A ring of copper keeps them from a few pots, and a hedgehog keeps them from a whole garden, if you leave him a heap of leaves to sleep in.
---
Q: What grows well in the shade?
A: Ferns, hostas and lily of the valley like the shade of trees, and so does the foxglove at the edge of it. Among vegetables choose those of which you eat the leaves, such as spinach, chard and lettuce. Whatever bears fruit wants the sun.
---
Q: When is the best time to prune an apple tree?
A: At the end of winter, on a dry day without hard frost, when you can see the shape of the tree and the buds are still asleep. Take out what is dead, what crosses and what grows straight up. When you have finished, a hat thrown through the crown should come out on the other side.
---
Q: How do bees find their way home?
A: They learn the landscape on short flights when they first leave the hive. On longer ways they steer by the sun, and they know how it moves during the day. Even when clouds hide it they can tell where it stands from the pattern of the light in a small piece of blue sky.
---
Q: What do I do with all these beans?
A: Eat the young ones whole, blanch the next ones for two minutes and freeze them, and let the rest hang until the pods rattle. The dry beans keep for years in a jar. Save the best twenty for sowing and give a bag of them to your neighbour, who will give you courgettes whether you want them or not.
---
Q: Can I grow herbs on a balcony?
A: Yes, very well. Thyme, sage, oregano and rosemary like a sunny rail and poor soil, and they forgive you when you forget to water them. Basil and parsley want a richer soil and a drink every day. Keep mint in a pot of its own, or it will own all the pots.
---
Q: How do I start a vegetable garden?
A: Begin with a bed that you can reach across, not with a field. Take off the grass, loosen the soil as deep as your fork goes and spread a hand of compost on it. In the first year grow what is easy: radishes, lettuce, beans, courgettes and potatoes. Write down what you sowed and when, because next year you will swear that you remember, and you will not.
---
Q: Are earthworms good for the garden?
A: They are the best gardeners you can have, and they work at night for nothing. They pull dead leaves down into the ground, eat them and leave the richest soil there is. Their tunnels let in air and rain. Spread leaves for them in autumn and dig as little as you can.
---
Q: How do I move a rose?
A: Do it in late autumn, when the leaves have fallen. Cut the branches back to the length of your forearm, dig a circle as wide as a bucket and lift the rose with as much soil as will hold. Set it a little deeper than before, tread the earth down, and give it two cans of water even if it rains.
---
Q: What is the easiest plant to grow?
A: Indoors it is the spider plant, which grows in nearly any light and makes its own children. Outdoors it is the radish. You put it in, you wait four weeks, and you eat it.
---
Q: Why do leaves change colour in autumn?
A: All summer the green of the leaf covers the other colours. When the days get short the tree takes the valuable parts of the green back into its wood, and the yellow that was there all the time comes to light. The red is different. It is made new in the last weeks, mostly when the days are sunny and the nights are cold.
---
Q: How deep should I plant bulbs?
A: Three times as deep as the bulb is high, with the pointed end up. A tulip wants about fifteen centimetres, a crocus eight. If you cannot tell which end is up, lay it on its side, and it will find the way by itself.
---
The gate had not been opened for so long that the ivy had grown through it and made it part of the wall. Behind it lay what had been a kitchen garden. You could still see the beds, as you see the bones in an old face. There was rhubarb the size of umbrellas, and a pear tree that had been trained flat against the bricks and had slowly forgotten its training. We began with the path. Under a hand of moss we found the old red tiles, and when we had cleaned the first ten of them it was clear that we would clean them all. By June there were beans. By August there were so many that we put a box of them at the road with a card that said: please.
---
My neighbour talks to her plants. She does it early in the morning, when she thinks that nobody is awake, in the tone in which one speaks to people at a bus stop. She tells them what the weather will do and asks how they have slept. I do not believe that they understand her. But she stands in front of each of them for as long as it takes to say good morning, and so she sees the first aphid, the first dry leaf, the stem that leans. Her garden is the finest in the street.
---
A gardener's year begins in autumn. When the others put away their tools, you spread the compost, plant the garlic and set the bulbs. In winter you read the catalogues, which is a kind of gardening in which nothing dies. In spring you sow too early, lose half of it to the frost and sow again. In summer you carry water. Then comes the week in September when everything is ripe at the same time, the kitchen is full of jars, and you promise yourself that next year you will plant less.
---
Mix one part of milk with eight parts of water and spray it on the leaves of the cucumbers in the morning sun. It keeps the mildew away as long as you do it every week, and nobody quite knows why. The cat will show more interest in the vegetable bed than before.
`;
